
define double @f(ptr %x) {
entry:
  %place = alloca ptr
  store ptr %x, ptr %place
  %p = load ptr, ptr %place
  %v = load double, ptr %p
  %r = fmul double %v, %v
  ret double %r
}

define { double } @fwd.f(ptr %x, ptr %x.d) nounwind "reciprocal-estimates"="none" {
entry:
  %place = alloca ptr
  %place.d = alloca ptr
  store ptr null, ptr %place.d, !alias.scope !6, !noalias !7
  store ptr %x, ptr %place, !alias.scope !8, !noalias !9
  store ptr %x.d, ptr %place.d, align 8, !alias.scope !6, !noalias !7
  %p = load ptr, ptr %place, !alias.scope !8, !noalias !9
  %p.d = load ptr, ptr %place.d, align 8, !alias.scope !10, !noalias !11
  %v = load double, ptr %p, !alias.scope !12, !noalias !13
  %v.t = load double, ptr %p.d, align 8, !alias.scope !14, !noalias !15
  %r = fmul double %v, %v
  %0 = fadd double %v, %v
  %1 = fmul double %v.t, %0
  %2 = insertvalue { double } undef, double %1, 0
  ret { double } %2
}


!20 = !{}
!0 = distinct !{!0, !"fwd.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"primal 1"}
!4 = distinct !{!4, !0, !"shadow 0 0"}
!5 = distinct !{!5, !0, !"shadow 0 1"}
!6 = !{!4, !5}
!7 = !{!1, !2, !3}
!8 = !{!2}
!9 = !{!1, !3, !4, !5}
!10 = !{!4}
!11 = !{!1, !2, !3, !5}
!12 = !{!3}
!13 = !{!1, !2, !4, !5}
!14 = !{!5}
!15 = !{!1, !2, !3, !4}
