
declare double @llvm.floor.f64(double)

define double @f(double %x) {
entry:
  %whole = call double @llvm.floor.f64(double %x)
  %part = fsub double %x, %whole
  %r = fmul double %part, %whole
  ret double %r
}

define { double } @grad.f(double %x, double %seed) nounwind "reciprocal-estimates"="none" {
entry:
  %whole = call double @llvm.floor.f64(double %x)
  %part = fsub double %x, %whole
  %r = fmul double %part, %whole
  br label %rev.entry

rev.entry:
  %whole.r = call double @llvm.floor.f64(double %x)
  %0 = fmul nsz arcp contract double %seed, %whole.r
  br label %rev.finish

rev.finish:
  %1 = insertvalue { double } undef, double %0, 0
  ret { double } %1
}


!14 = !{}
!0 = distinct !{!0, !"grad.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
