
define double @f(ptr %x, double %y) {
entry:
  %q = getelementptr double, ptr %x, i64 1
  %a = load double, ptr %x
  %b = load double, ptr %q
  %m = fmul double %a, %b
  store double %y, ptr %x
  store double %m, ptr %q
  ret double %m
}

define { double } @grad.f(ptr %x, ptr %x.d, double %y, double %seed) nounwind "reciprocal-estimates"="none" {
entry:
  %a.c = alloca double
  %b.c = alloca double
  %q = getelementptr double, ptr %x, i64 1
  %q.d = getelementptr double, ptr %x.d, i64 1
  %a = load double, ptr %x, !alias.scope !4, !noalias !5
  store double %a, ptr %a.c
  %b = load double, ptr %q, !alias.scope !4, !noalias !5
  store double %b, ptr %b.c
  %m = fmul double %a, %b
  store double %y, ptr %x, !alias.scope !4, !noalias !5
  store double %m, ptr %q, !alias.scope !4, !noalias !5
  br label %rev.entry

rev.entry:
  %q.d.r = getelementptr double, ptr %x.d, i64 1
  %0 = load double, ptr %q.d.r, align 8, !alias.scope !6, !noalias !7
  store double 0.000000e+00, ptr %q.d.r, align 8, !alias.scope !6, !noalias !7
  %1 = fadd reassoc nsz arcp contract double %seed, %0
  %2 = load double, ptr %x.d, align 8, !alias.scope !6, !noalias !7
  store double 0.000000e+00, ptr %x.d, align 8, !alias.scope !6, !noalias !7
  %b.l = load double, ptr %b.c
  %3 = fmul nsz arcp contract double %1, %b.l
  %a.l = load double, ptr %a.c
  %4 = fmul nsz arcp contract double %1, %a.l
  %5 = load double, ptr %q.d.r, align 8, !alias.scope !6, !noalias !7
  %6 = fadd reassoc nsz arcp contract double %5, %4
  store double %6, ptr %q.d.r, align 8, !alias.scope !6, !noalias !7
  %7 = load double, ptr %x.d, align 8, !alias.scope !6, !noalias !7
  %8 = fadd reassoc nsz arcp contract double %7, %3
  store double %8, ptr %x.d, align 8, !alias.scope !6, !noalias !7
  br label %rev.finish

rev.finish:
  %9 = insertvalue { double } undef, double %2, 0
  ret { double } %9
}


!14 = !{}
!0 = distinct !{!0, !"grad.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
!4 = !{!2}
!5 = !{!1, !3}
!6 = !{!3}
!7 = !{!1, !2}
