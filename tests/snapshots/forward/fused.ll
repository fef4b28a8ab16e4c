
declare double @llvm.fma.f64(double, double, double)

declare double @llvm.fmuladd.f64(double, double, double)

define double @f(double %x, double %y, double %z) {
entry:
  %a = call double @llvm.fma.f64(double %x, double %y, double %z)
  %r = call double @llvm.fmuladd.f64(double %a, double %x, double 1.0)
  ret double %r
}

define { double } @fwd.f(double %x, double %x.d, double %y, double %y.d, double %z, double %z.d) nounwind "reciprocal-estimates"="none" {
entry:
  %a = call double @llvm.fma.f64(double %x, double %y, double %z)
  %0 = fmul double %x.d, %y
  %1 = fmul double %y.d, %x
  %2 = fadd double %0, %1
  %3 = fadd double %2, %z.d
  %r = call double @llvm.fmuladd.f64(double %a, double %x, double 1.0)
  %4 = fmul double %3, %x
  %5 = fmul double %x.d, %a
  %6 = fadd double %4, %5
  %7 = insertvalue { double } undef, double %6, 0
  ret { double } %7
}


!14 = !{}
!0 = distinct !{!0, !"fwd.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
