
define double @f(double %x, double %y) {
entry:
  %c = fcmp ogt double %x, %y
  %s = select i1 %c, double %x, double %y
  %r = fmul double %s, %s
  ret double %r
}

define { double, double } @grad.f(double %x, double %y, double %seed) nounwind {
entry:
  %primal.result = alloca double
  %x.d = alloca double
  %y.d = alloca double
  %c = fcmp ogt double %x, %y
  %s = select i1 %c, double %x, double %y
  %r = fmul double %s, %s
  store double %r, ptr %primal.result
  br label %rev.entry

rev.entry:
  store double 0.000000e+00, ptr %y.d
  store double 0.000000e+00, ptr %x.d
  %c.r = fcmp ogt double %x, %y
  %s.r = select i1 %c.r, double %x, double %y
  %0 = fmul nsz arcp contract double %seed, %s.r
  %1 = fmul nsz arcp contract double %seed, %s.r
  %2 = fadd reassoc nsz arcp contract double %0, %1
  %3 = select i1 %c.r, double %2, double 0.000000e+00
  %4 = load double, ptr %x.d
  %5 = fadd reassoc nsz arcp contract double %4, %3
  store double %5, ptr %x.d
  %6 = select i1 %c.r, double 0.000000e+00, double %2
  %7 = load double, ptr %y.d
  %8 = fadd reassoc nsz arcp contract double %7, %6
  store double %8, ptr %y.d
  br label %rev.finish

rev.finish:
  %9 = load double, ptr %x.d
  %10 = load double, ptr %y.d
  %11 = insertvalue { double, double } undef, double %9, 0
  %12 = insertvalue { double, double } %11, double %10, 1
  ret { double, double } %12
}


!0 = distinct !{!0, !"grad.f"}
!1 = distinct !{!1, !0, !"primal"}
!2 = distinct !{!2, !0, !"cache"}
!3 = distinct !{!3, !0, !"shadow 0"}
!4 = !{!1}
!5 = !{!2, !3}
!6 = !{!2}
!7 = !{!1, !3}
!8 = !{!3}
!9 = !{!1, !2}
