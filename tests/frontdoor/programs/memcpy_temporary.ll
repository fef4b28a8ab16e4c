; arguments: [1.0 -2.0 0.5]
; returns: double

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define double @f(ptr %x) {
  %t = alloca [3 x double], align 8
  call void @llvm.memcpy.p0.p0.i64(ptr %t, ptr %x, i64 24, i1 false)
  %p1 = getelementptr inbounds double, ptr %t, i64 1
  %p2 = getelementptr inbounds double, ptr %t, i64 2
  %a = load double, ptr %t, align 8
  %b = load double, ptr %p1, align 8
  %c = load double, ptr %p2, align 8
  store double 7.000000e+00, ptr %x, align 8
  %ab = fmul double %a, %b
  %abc = fmul double %ab, %c
  ret double %abc
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
