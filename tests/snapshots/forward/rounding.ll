
declare double @llvm.floor.f64(double)

define double @f(double %x) {
entry:
  %whole = call double @llvm.floor.f64(double %x)
  %part = fsub double %x, %whole
  %r = fmul double %part, %whole
  ret double %r
}

define { double } @fwd.f(double %x, double %x.d) nounwind "reciprocal-estimates"="none" {
entry:
  %whole = call double @llvm.floor.f64(double %x)
  %part = fsub double %x, %whole
  %r = fmul double %part, %whole
  %0 = fmul double %x.d, %whole
  %1 = insertvalue { double } undef, double %0, 0
  ret { double } %1
}


!14 = !{}
!0 = distinct !{!0, !"fwd.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
