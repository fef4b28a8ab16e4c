
define double @f(i64 %n, ptr %x, ptr %y) {
entry:
  %c = icmp sgt i64 %n, 0
  %p = select i1 %c, ptr %x, ptr %y
  %v = load double, ptr %p
  %r = fmul double %v, %v
  ret double %r
}

define void @grad.f(i64 %n, ptr %x, ptr %x.d, ptr %y, ptr %y.d, double %seed) nounwind "reciprocal-estimates"="none" {
entry:
  %c = icmp sgt i64 %n, 0
  %p = select i1 %c, ptr %x, ptr %y
  %p.d = select i1 %c, ptr %x.d, ptr %y.d
  %v = load double, ptr %p, !alias.scope !4, !noalias !5
  %r = fmul double %v, %v
  br label %rev.entry

rev.entry:
  %c.r = icmp sgt i64 %n, 0
  %p.r = select i1 %c.r, ptr %x, ptr %y
  %v.r = load double, ptr %p.r, !alias.scope !4, !noalias !5
  %0 = fadd reassoc nsz arcp contract double %v.r, %v.r
  %1 = fmul nsz arcp contract double %seed, %0
  %p.d.r = select i1 %c.r, ptr %x.d, ptr %y.d
  %2 = load double, ptr %p.d.r, align 8, !alias.scope !6, !noalias !7
  %3 = fadd reassoc nsz arcp contract double %2, %1
  store double %3, ptr %p.d.r, align 8, !alias.scope !6, !noalias !7
  br label %rev.finish

rev.finish:
  ret void
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
