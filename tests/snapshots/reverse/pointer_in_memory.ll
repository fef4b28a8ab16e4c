
define double @f(ptr %x) {
entry:
  %place = alloca ptr
  store ptr %x, ptr %place
  %p = load ptr, ptr %place
  %v = load double, ptr %p
  %r = fmul double %v, %v
  ret double %r
}

define void @grad.f(ptr %x, ptr %x.d, double %seed) nounwind "reciprocal-estimates"="none" {
entry:
  %place = alloca ptr
  %place.d = alloca ptr
  store ptr null, ptr %place.d, !alias.scope !6, !noalias !7
  store ptr %x, ptr %place, !alias.scope !8, !noalias !9
  store ptr %x.d, ptr %place.d, align 8, !alias.scope !6, !noalias !7
  %p = load ptr, ptr %place, !alias.scope !8, !noalias !9
  %p.d = load ptr, ptr %place.d, align 8, !alias.scope !10, !noalias !11
  %v = load double, ptr %p, !alias.scope !12, !noalias !13
  %r = fmul double %v, %v
  br label %rev.entry

rev.entry:
  %p.r = load ptr, ptr %place, !alias.scope !8, !noalias !9
  %v.r = load double, ptr %p.r, !alias.scope !12, !noalias !13
  %0 = fadd reassoc nsz arcp contract double %v.r, %v.r
  %1 = fmul nsz arcp contract double %seed, %0
  %p.d.r = load ptr, ptr %place.d, align 8, !alias.scope !10, !noalias !11
  %2 = load double, ptr %p.d.r, align 8, !alias.scope !14, !noalias !15
  %3 = fadd reassoc nsz arcp contract double %2, %1
  store double %3, ptr %p.d.r, align 8, !alias.scope !14, !noalias !15
  br label %rev.finish

rev.finish:
  ret void
}


!20 = !{}
!0 = distinct !{!0, !"grad.f"}
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
