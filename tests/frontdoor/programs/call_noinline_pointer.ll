; the callee writes memory that it reads
; arguments: [0.7 1.9]
; returns: double

define void @g(ptr %x) noinline {
  %a = load double, ptr %x, align 8
  %q = getelementptr inbounds double, ptr %x, i64 1
  %b = load double, ptr %q, align 8
  %ab = fmul double %a, %b
  store double %ab, ptr %x, align 8
  %s = fadd double %ab, %b
  store double %s, ptr %q, align 8
  ret void
}
define double @f(ptr %x) {
  call void @g(ptr %x)
  call void @g(ptr %x)
  %a = load double, ptr %x, align 8
  %r = fmul double %a, %a
  ret double %r
}

declare void @__enzyme_autodiff(ptr, ...)
declare double @__enzyme_fwddiff(ptr, ...)

define void @reverse(ptr %a0, ptr %d0, ptr %result) {
  call void (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %a0, ptr %d0)
  ret void
}

define void @forward(ptr %a0, ptr %d0, ptr %result) {
  %r = call double (ptr, ...) @__enzyme_fwddiff(ptr @f, ptr %a0, ptr %d0)
  store double %r, ptr %result, align 4
  ret void
}
