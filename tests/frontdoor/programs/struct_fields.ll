; arguments: [1.5 2.0 -0.5]
; returns: double

%struct.body = type { double, { double, double } }
define double @f(ptr %b) {
  %m = load double, ptr %b, align 8
  %pv = getelementptr inbounds %struct.body, ptr %b, i32 0, i32 1, i32 0
  %pw = getelementptr inbounds %struct.body, ptr %b, i32 0, i32 1, i32 1
  %v = load double, ptr %pv, align 8
  %w = load double, ptr %pw, align 8
  %v2 = fmul double %v, %v
  %w2 = fmul double %w, %w
  %s = fadd double %v2, %w2
  %ms = fmul double %m, %s
  %e = fmul double %ms, 5.000000e-01
  store double %e, ptr %pw, align 8
  ret double %e
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
