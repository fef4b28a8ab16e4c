
define double @f(double %x, double %y) {
entry:
  %r = frem double %x, %y
  ret double %r
}

define { double, double } @grad.f(double %x, double %y, double %seed) nounwind "reciprocal-estimates"="none" {
entry:
  %r = frem double %x, %y
  br label %rev.entry

rev.entry:
  %0 = fneg nsz arcp contract double %seed
  %r.r = frem double %x, %y
  %1 = fsub reassoc nsz arcp contract double %x, %r.r
  %2 = fdiv nsz arcp contract double %1, %y
  %3 = call nsz arcp contract double @llvm.rint.f64(double %2)
  %4 = fmul nsz arcp contract double %0, %3
  %5 = fcmp oeq double %seed, 0x0000000000000000
  %6 = select i1 %5, double 0.000000e+00, double %4
  br label %rev.finish

rev.finish:
  %7 = insertvalue { double, double } undef, double %seed, 0
  %8 = insertvalue { double, double } %7, double %6, 1
  ret { double, double } %8
}

declare double @llvm.rint.f64(double)


!14 = !{}
!0 = distinct !{!0, !"grad.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
