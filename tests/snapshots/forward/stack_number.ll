
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

define { double } @fwd.f(double %x, double %x.d) nounwind "reciprocal-estimates"="none" {
entry:
  %p = alloca double
  %p.d = alloca double
  store double 0.000000e+00, ptr %p.d, !alias.scope !4, !noalias !5
  store double %x, ptr %p, !alias.scope !6, !noalias !7
  store double %x.d, ptr %p.d, align 8, !alias.scope !8, !noalias !9
  %a = load double, ptr %p, !alias.scope !6, !noalias !7
  %a.t = load double, ptr %p.d, align 8, !alias.scope !8, !noalias !9
  %b = fmul double %a, %a
  %0 = fadd double %a, %a
  %1 = fmul double %a.t, %0
  store double %b, ptr %p, !alias.scope !6, !noalias !7
  store double %1, ptr %p.d, align 8, !alias.scope !8, !noalias !9
  %c = load double, ptr %p, !alias.scope !6, !noalias !7
  %c.t = load double, ptr %p.d, align 8, !alias.scope !8, !noalias !9
  %r = fmul double %c, %a
  %2 = fmul double %c.t, %a
  %3 = fmul double %a.t, %c
  %4 = fadd double %2, %3
  %5 = insertvalue { double } undef, double %4, 0
  ret { double } %5
}


!14 = !{}
!0 = distinct !{!0, !"fwd.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
!4 = !{!3}
!5 = !{!1, !2}
!6 = !{!2}
!7 = !{!1, !3}
!8 = !{!3}
!9 = !{!1, !2}
