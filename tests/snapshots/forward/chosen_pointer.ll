
define double @f(i64 %n, ptr %x, ptr %y) {
entry:
  %c = icmp sgt i64 %n, 0
  %p = select i1 %c, ptr %x, ptr %y
  %v = load double, ptr %p
  %r = fmul double %v, %v
  ret double %r
}

define { double } @fwd.f(i64 %n, ptr %x, ptr %x.d, ptr %y, ptr %y.d) nounwind "reciprocal-estimates"="none" {
entry:
  %c = icmp sgt i64 %n, 0
  %p = select i1 %c, ptr %x, ptr %y
  %p.d = select i1 %c, ptr %x.d, ptr %y.d
  %v = load double, ptr %p, !alias.scope !4, !noalias !5
  %v.t = load double, ptr %p.d, align 8, !alias.scope !6, !noalias !7
  %r = fmul double %v, %v
  %0 = fadd double %v, %v
  %1 = fmul double %v.t, %0
  %2 = insertvalue { double } undef, double %1, 0
  ret { double } %2
}


!14 = !{}
!0 = distinct !{!0, !"fwd.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
!4 = !{!2}
!5 = !{!1, !3}
!6 = !{!3}
!7 = !{!1, !2}
