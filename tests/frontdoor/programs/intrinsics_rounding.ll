; fabs copysign minnum maxnum floor fma powi exp2 log2 log10
; arguments: 2.75 -1.3
; returns: double

declare double @llvm.fabs.f64(double)
declare double @llvm.copysign.f64(double, double)
declare double @llvm.minnum.f64(double, double)
declare double @llvm.maxnum.f64(double, double)
declare double @llvm.floor.f64(double)
declare double @llvm.fma.f64(double, double, double)
declare double @llvm.powi.f64.i32(double, i32)
declare double @llvm.exp2.f64(double)
declare double @llvm.log2.f64(double)
declare double @llvm.log10.f64(double)
define double @f(double %x, double %y) {
  %a = call double @llvm.fabs.f64(double %y)
  %c = call double @llvm.copysign.f64(double %x, double %y)
  %mi = call double @llvm.minnum.f64(double %x, double %y)
  %ma = call double @llvm.maxnum.f64(double %x, double %y)
  %fl = call double @llvm.floor.f64(double %x)
  %fr = fsub double %x, %fl
  %fm = call double @llvm.fma.f64(double %a, double %c, double %fr)
  %pi = call double @llvm.powi.f64.i32(double %mi, i32 3)
  %e2 = call double @llvm.exp2.f64(double %y)
  %l2 = call double @llvm.log2.f64(double %ma)
  %l10 = call double @llvm.log10.f64(double %a)
  %s1 = fadd double %fm, %pi
  %s2 = fmul double %e2, %l2
  %s3 = fadd double %s1, %s2
  %s4 = fadd double %s3, %l10
  ret double %s4
}

declare { double, double } @__enzyme_autodiff(ptr, ...)
declare double @__enzyme_fwddiff(ptr, ...)

define void @reverse(double %a0, double %a1, ptr %result) {
  %r = call { double, double } (ptr, ...) @__enzyme_autodiff(ptr @f, double %a0, double %a1)
  store { double, double } %r, ptr %result, align 4
  ret void
}

define void @forward(double %a0, double %d0, double %a1, double %d1, ptr %result) {
  %r = call double (ptr, ...) @__enzyme_fwddiff(ptr @f, double %a0, double %d0, double %a1, double %d1)
  store double %r, ptr %result, align 4
  ret void
}
