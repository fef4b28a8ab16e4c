
define double @f(double %x) {
entry:
  %c = fcmp ogt double %x, 1.0
  br i1 %c, label %early, label %late

early:
  %a = fmul double %x, %x
  ret double %a

late:
  %b = fneg double %x
  ret double %b
}

define { double } @grad.f(double %x, double %seed) nounwind {
entry:
  %primal.result = alloca double
  %x.d = alloca double
  store double 0.000000e+00, ptr %x.d
  %c = fcmp ogt double %x, 1.0
  br i1 %c, label %early, label %late

early:
  %a = fmul double %x, %x
  store double %a, ptr %primal.result
  br label %rev.early

late:
  %b = fneg double %x
  store double %b, ptr %primal.result
  br label %rev.late

rev.late:
  %0 = fneg nsz arcp contract double %seed
  %1 = load double, ptr %x.d
  %2 = fadd reassoc nsz arcp contract double %1, %0
  store double %2, ptr %x.d
  br label %rev.entry

rev.early:
  %3 = fmul nsz arcp contract double %seed, %x
  %4 = load double, ptr %x.d
  %5 = fadd reassoc nsz arcp contract double %4, %3
  store double %5, ptr %x.d
  %6 = fmul nsz arcp contract double %seed, %x
  %7 = load double, ptr %x.d
  %8 = fadd reassoc nsz arcp contract double %7, %6
  store double %8, ptr %x.d
  br label %rev.entry

rev.entry:
  br label %rev.finish

rev.finish:
  %9 = load double, ptr %x.d
  %10 = insertvalue { double } undef, double %9, 0
  ret { double } %10
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
