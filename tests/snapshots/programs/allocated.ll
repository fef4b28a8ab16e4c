; Memory that the function takes and gives back.
; arguments: 1.5
; returns: double
declare noalias ptr @malloc(i64)
declare void @free(ptr)
define double @f(double %x) {
entry:
  %p = call ptr @malloc(i64 16)
  %q = getelementptr double, ptr %p, i64 1
  store double %x, ptr %p
  %a = load double, ptr %p
  %b = fmul double %a, %a
  store double %b, ptr %q
  %c = load double, ptr %q
  call void @free(ptr %p)
  %r = fmul double %c, %a
  ret double %r
}
