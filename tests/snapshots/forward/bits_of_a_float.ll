
define double @f(double %x) {
entry:
  %bits = bitcast double %x to i64
  %masked = and i64 %bits, 9223372036854775807
  %abs = bitcast i64 %masked to double
  %r = fmul double %abs, %x
  ret double %r
}

define { double } @fwd.f(double %x, double %x.d) nounwind "reciprocal-estimates"="none" {
entry:
  %abs = call double @llvm.fabs.f64(double %x)
  %0 = fcmp olt double %x, 0x0000000000000000
  %1 = fneg double %x.d
  %2 = select i1 %0, double %1, double %x.d
  %r = fmul double %abs, %x
  %3 = fmul double %2, %x
  %4 = fmul double %x.d, %abs
  %5 = fadd double %3, %4
  %6 = insertvalue { double } undef, double %5, 0
  ret { double } %6
}

declare double @llvm.fabs.f64(double)


!14 = !{}
!0 = distinct !{!0, !"fwd.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
