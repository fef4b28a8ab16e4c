
declare double @llvm.fma.f64(double, double, double)

declare double @llvm.fmuladd.f64(double, double, double)

define double @f(double %x, double %y, double %z) {
entry:
  %a = call double @llvm.fma.f64(double %x, double %y, double %z)
  %r = call double @llvm.fmuladd.f64(double %a, double %x, double 1.0)
  ret double %r
}

define { double, double, double } @grad.f(double %x, double %y, double %z, double %seed) nounwind "reciprocal-estimates"="none" {
entry:
  %a = call double @llvm.fma.f64(double %x, double %y, double %z)
  %r = call double @llvm.fmuladd.f64(double %a, double %x, double 1.0)
  br label %rev.entry

rev.entry:
  %0 = fmul nsz arcp contract double %seed, %x
  %a.r = call double @llvm.fma.f64(double %x, double %y, double %z)
  %1 = fmul nsz arcp contract double %seed, %a.r
  %2 = fmul nsz arcp contract double %0, %y
  %3 = fadd reassoc nsz arcp contract double %1, %2
  %4 = fmul nsz arcp contract double %0, %x
  br label %rev.finish

rev.finish:
  %5 = insertvalue { double, double, double } undef, double %3, 0
  %6 = insertvalue { double, double, double } %5, double %4, 1
  %7 = insertvalue { double, double, double } %6, double %0, 2
  ret { double, double, double } %7
}


!14 = !{}
!0 = distinct !{!0, !"grad.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
