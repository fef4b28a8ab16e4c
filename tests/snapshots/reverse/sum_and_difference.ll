
define double @f(double %x, double %y) {
entry:
  %s = fadd double %x, %y
  %d = fsub double %s, 2.5
  %e = fsub double %d, %x
  %n = fneg double %e
  %r = fadd double %n, %s
  ret double %r
}

define { double, double } @grad.f(double %x, double %y, double %seed) nounwind {
entry:
  %primal.result = alloca double
  %x.d = alloca double
  %y.d = alloca double
  %s = fadd double %x, %y
  %d = fsub double %s, 2.5
  %e = fsub double %d, %x
  %n = fneg double %e
  %r = fadd double %n, %s
  store double %r, ptr %primal.result
  br label %rev.entry

rev.entry:
  store double 0.000000e+00, ptr %y.d
  store double 0.000000e+00, ptr %x.d
  %0 = fneg nsz arcp contract double %seed
  %1 = fneg nsz arcp contract double %0
  %2 = load double, ptr %x.d
  %3 = fadd reassoc nsz arcp contract double %2, %1
  store double %3, ptr %x.d
  %4 = fadd reassoc nsz arcp contract double %seed, %0
  %5 = load double, ptr %x.d
  %6 = fadd reassoc nsz arcp contract double %5, %4
  store double %6, ptr %x.d
  %7 = load double, ptr %y.d
  %8 = fadd reassoc nsz arcp contract double %7, %4
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
