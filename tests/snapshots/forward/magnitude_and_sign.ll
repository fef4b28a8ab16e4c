
declare double @llvm.fabs.f64(double)

declare double @llvm.copysign.f64(double, double)

define double @f(double %x, double %y) {
entry:
  %a = call double @llvm.fabs.f64(double %x)
  %c = call double @llvm.copysign.f64(double %y, double %x)
  %r = fmul double %a, %c
  ret double %r
}

define { double } @fwd.f(double %x, double %x.d, double %y, double %y.d) nounwind "reciprocal-estimates"="none" {
entry:
  %a = call double @llvm.fabs.f64(double %x)
  %0 = fcmp olt double %x, 0x0000000000000000
  %1 = fneg double %x.d
  %2 = select i1 %0, double %1, double %x.d
  %c = call double @llvm.copysign.f64(double %y, double %x)
  %3 = call double @llvm.copysign.f64(double 0x3FF0000000000000, double %y)
  %4 = call double @llvm.copysign.f64(double 0x3FF0000000000000, double %x)
  %5 = fmul double %3, %4
  %6 = fmul double %y.d, %5
  %r = fmul double %a, %c
  %7 = fmul double %2, %c
  %8 = fmul double %6, %a
  %9 = fadd double %7, %8
  %10 = insertvalue { double } undef, double %9, 0
  ret { double } %10
}


!14 = !{}
!0 = distinct !{!0, !"fwd.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
