; interpolation in a constant table
; arguments: 2.3
; returns: double

@table = internal constant [5 x double] [double 1.000000e+00, double -2.000000e+00, double 5.000000e-01, double 3.000000e+00, double 7.000000e+00]
declare double @llvm.floor.f64(double)
define double @f(double %x) {
  %fl = call double @llvm.floor.f64(double %x)
  %i = fptosi double %fl to i64
  %j = add nsw i64 %i, 1
  %p = getelementptr inbounds [5 x double], ptr @table, i64 0, i64 %i
  %q = getelementptr inbounds [5 x double], ptr @table, i64 0, i64 %j
  %a = load double, ptr %p, align 8
  %b = load double, ptr %q, align 8
  %w = fsub double %x, %fl
  %v = fsub double 1.000000e+00, %w
  %aw = fmul double %a, %v
  %bw = fmul double %b, %w
  %s = fadd double %aw, %bw
  %r = fmul double %s, %s
  ret double %r
}

declare double @__enzyme_autodiff(ptr, ...)
declare double @__enzyme_fwddiff(ptr, ...)

define void @reverse(double %a0, ptr %result) {
  %r = call double (ptr, ...) @__enzyme_autodiff(ptr @f, double %a0)
  store double %r, ptr %result, align 4
  ret void
}

define void @forward(double %a0, double %d0, ptr %result) {
  %r = call double (ptr, ...) @__enzyme_fwddiff(ptr @f, double %a0, double %d0)
  store double %r, ptr %result, align 4
  ret void
}
