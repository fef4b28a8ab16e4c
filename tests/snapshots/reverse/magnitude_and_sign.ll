
declare double @llvm.fabs.f64(double)

declare double @llvm.copysign.f64(double, double)

define double @f(double %x, double %y) {
entry:
  %a = call double @llvm.fabs.f64(double %x)
  %c = call double @llvm.copysign.f64(double %y, double %x)
  %r = fmul double %a, %c
  ret double %r
}

define { double, double } @grad.f(double %x, double %y, double %seed) nounwind "reciprocal-estimates"="none" {
entry:
  %a = call double @llvm.fabs.f64(double %x)
  %c = call double @llvm.copysign.f64(double %y, double %x)
  %r = fmul double %a, %c
  br label %rev.entry

rev.entry:
  %c.r = call double @llvm.copysign.f64(double %y, double %x)
  %0 = fmul nsz arcp contract double %seed, %c.r
  %a.r = call double @llvm.fabs.f64(double %x)
  %1 = fmul nsz arcp contract double %seed, %a.r
  %2 = call nsz arcp contract double @llvm.copysign.f64(double 0x3FF0000000000000, double %y)
  %3 = call nsz arcp contract double @llvm.copysign.f64(double 0x3FF0000000000000, double %x)
  %4 = fmul nsz arcp contract double %2, %3
  %5 = fmul nsz arcp contract double %1, %4
  %6 = fcmp olt double %x, 0x0000000000000000
  %7 = fneg nsz arcp contract double %0
  %8 = select i1 %6, double %7, double %0
  br label %rev.finish

rev.finish:
  %9 = insertvalue { double, double } undef, double %8, 0
  %10 = insertvalue { double, double } %9, double %5, 1
  ret { double, double } %10
}


!14 = !{}
!0 = distinct !{!0, !"grad.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
