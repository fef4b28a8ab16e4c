; arguments: [1.5 -2.0] [0.5 3.0] i64:1
; returns: double

define double @f(ptr %x, ptr %y, i64 %k) {
entry:
  %c = icmp eq i64 %k, 0
  %p = select i1 %c, ptr %x, ptr %y
  %v = load double, ptr %p, align 8
  %v2 = fmul double %v, %v
  store double %v2, ptr %p, align 8
  %a = load double, ptr %x, align 8
  %b = load double, ptr %y, align 8
  %r = fmul double %a, %b
  ret double %r
}

declare void @__enzyme_autodiff(ptr, ...)
declare double @__enzyme_fwddiff(ptr, ...)

define void @reverse(ptr %a0, ptr %d0, ptr %a1, ptr %d1, i64 %a2, ptr %result) {
  call void (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %a0, ptr %d0, ptr %a1, ptr %d1, i64 %a2)
  ret void
}

define void @forward(ptr %a0, ptr %d0, ptr %a1, ptr %d1, i64 %a2, ptr %result) {
  %r = call double (ptr, ...) @__enzyme_fwddiff(ptr @f, ptr %a0, ptr %d0, ptr %a1, ptr %d1, i64 %a2)
  store double %r, ptr %result, align 4
  ret void
}
