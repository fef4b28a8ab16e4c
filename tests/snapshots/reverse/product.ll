
define double @f(double %x, double %y) {
entry:
  %a = fmul double %x, %y
  %r = fmul double %a, %x
  ret double %r
}

define { double, double } @grad.f(double %x, double %y, double %seed) nounwind {
entry:
  %primal.result = alloca double
  %x.d = alloca double
  %y.d = alloca double
  %a = fmul double %x, %y
  %r = fmul double %a, %x
  store double %r, ptr %primal.result
  br label %rev.entry

rev.entry:
  store double 0.000000e+00, ptr %y.d
  store double 0.000000e+00, ptr %x.d
  %0 = fmul nsz arcp contract double %seed, %x
  %a.r = fmul double %x, %y
  %1 = fmul nsz arcp contract double %seed, %a.r
  %2 = load double, ptr %x.d
  %3 = fadd reassoc nsz arcp contract double %2, %1
  store double %3, ptr %x.d
  %4 = fmul nsz arcp contract double %0, %y
  %5 = load double, ptr %x.d
  %6 = fadd reassoc nsz arcp contract double %5, %4
  store double %6, ptr %x.d
  %7 = fmul nsz arcp contract double %0, %x
  %8 = load double, ptr %y.d
  %9 = fadd reassoc nsz arcp contract double %8, %7
  store double %9, ptr %y.d
  br label %rev.finish

rev.finish:
  %10 = load double, ptr %x.d
  %11 = load double, ptr %y.d
  %12 = insertvalue { double, double } undef, double %10, 0
  %13 = insertvalue { double, double } %12, double %11, 1
  ret { double, double } %13
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
