
define double @f(double %x) {
entry:
  %c = fcmp ogt double %x, 1.0
  br i1 %c, label %then, label %end

then:
  %a = fmul double %x, %x
  br label %end

end:
  %r = phi double [ %a, %then ], [ %x, %entry ]
  ret double %r
}

define { double } @grad.f(double %x, double %seed) nounwind {
entry:
  %primal.result = alloca double
  %x.d = alloca double
  %a.d = alloca double
  %c = fcmp ogt double %x, 1.0
  br i1 %c, label %then, label %end

then:
  %a = fmul double %x, %x
  br label %end

end:
  %r = phi double [ %a, %then ], [ %x, %entry ]
  store double %r, ptr %primal.result
  br label %rev.end

rev.end:
  store double 0.000000e+00, ptr %x.d
  %c.r = fcmp ogt double %x, 1.0
  br i1 %c.r, label %rev.end.then, label %rev.end.entry

rev.end.then:
  store double 0.000000e+00, ptr %a.d
  %0 = load double, ptr %a.d
  %1 = fadd reassoc nsz arcp contract double %0, %seed
  store double %1, ptr %a.d
  br label %rev.then

rev.end.entry:
  %2 = load double, ptr %x.d
  %3 = fadd reassoc nsz arcp contract double %2, %seed
  store double %3, ptr %x.d
  br label %rev.entry

rev.then:
  %a.adj = load double, ptr %a.d
  store double 0.000000e+00, ptr %a.d
  %4 = fmul nsz arcp contract double %a.adj, %x
  %5 = load double, ptr %x.d
  %6 = fadd reassoc nsz arcp contract double %5, %4
  store double %6, ptr %x.d
  %7 = fmul nsz arcp contract double %a.adj, %x
  %8 = load double, ptr %x.d
  %9 = fadd reassoc nsz arcp contract double %8, %7
  store double %9, ptr %x.d
  br label %rev.entry

rev.entry:
  br label %rev.finish

rev.finish:
  %10 = load double, ptr %x.d
  %11 = insertvalue { double } undef, double %10, 0
  ret { double } %11
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
