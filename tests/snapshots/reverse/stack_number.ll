
define double @f(double %x) {
entry:
  %p = alloca double
  store double %x, ptr %p
  %a = load double, ptr %p
  %b = fmul double %a, %a
  store double %b, ptr %p
  %c = load double, ptr %p
  %r = fmul double %c, %a
  ret double %r
}

define { double } @grad.f(double %x, double %seed) nounwind "reciprocal-estimates"="none" {
entry:
  %a.c = alloca double
  %p = alloca double
  %p.d = alloca double
  store double 0.000000e+00, ptr %p.d, !alias.scope !4, !noalias !5
  store double %x, ptr %p, !alias.scope !6, !noalias !7
  %a = load double, ptr %p, !alias.scope !6, !noalias !7
  store double %a, ptr %a.c
  %b = fmul double %a, %a
  store double %b, ptr %p, !alias.scope !6, !noalias !7
  %c = load double, ptr %p, !alias.scope !6, !noalias !7
  %r = fmul double %c, %a
  br label %rev.entry

rev.entry:
  %a.l = load double, ptr %a.c
  %0 = fmul nsz arcp contract double %seed, %a.l
  %c.r = load double, ptr %p, !alias.scope !6, !noalias !7
  %1 = fmul nsz arcp contract double %seed, %c.r
  %2 = load double, ptr %p.d, align 8, !alias.scope !8, !noalias !9
  %3 = fadd reassoc nsz arcp contract double %2, %0
  store double %3, ptr %p.d, align 8, !alias.scope !8, !noalias !9
  %4 = load double, ptr %p.d, align 8, !alias.scope !8, !noalias !9
  store double 0.000000e+00, ptr %p.d, align 8, !alias.scope !8, !noalias !9
  %5 = fadd reassoc nsz arcp contract double %a.l, %a.l
  %6 = fmul nsz arcp contract double %4, %5
  %7 = fadd reassoc nsz arcp contract double %1, %6
  %8 = load double, ptr %p.d, align 8, !alias.scope !8, !noalias !9
  %9 = fadd reassoc nsz arcp contract double %8, %7
  store double %9, ptr %p.d, align 8, !alias.scope !8, !noalias !9
  %10 = load double, ptr %p.d, align 8, !alias.scope !8, !noalias !9
  store double 0.000000e+00, ptr %p.d, align 8, !alias.scope !8, !noalias !9
  br label %rev.finish

rev.finish:
  %11 = insertvalue { double } undef, double %10, 0
  ret { double } %11
}


!14 = !{}
!0 = distinct !{!0, !"grad.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
!4 = !{!3}
!5 = !{!1, !2}
!6 = !{!2}
!7 = !{!1, !3}
!8 = !{!3}
!9 = !{!1, !2}
