
define double @f(i64 %n, ptr %x, ptr %y) {
entry:
  %c = icmp sgt i64 %n, 0
  %p = select i1 %c, ptr %x, ptr %y
  %v = load double, ptr %p
  %r = fmul double %v, %v
  ret double %r
}

define void @grad.f(i64 %n, ptr %x, ptr %x.d, ptr %y, double %seed) nounwind "reciprocal-estimates"="none" {
entry:
  %v.c = alloca double
  %c = icmp sgt i64 %n, 0
  br i1 %c, label %entry.then, label %entry.else

entry.else:
  %v = load double, ptr %y, !alias.scope !6, !noalias !7
  br label %entry.join

entry.then:
  %v.1 = load double, ptr %x, !alias.scope !8, !noalias !9
  br label %entry.join

entry.join:
  %v.2 = phi double [ %v.1, %entry.then ], [ %v, %entry.else ]
  store double %v.2, ptr %v.c
  %r = fmul double %v.2, %v.2
  br label %rev.entry.join

rev.entry.join:
  %v.l = load double, ptr %v.c
  %0 = fadd reassoc nsz arcp contract double %v.l, %v.l
  %1 = fmul nsz arcp contract double %seed, %0
  %c.r = icmp sgt i64 %n, 0
  br i1 %c.r, label %rev.entry.join.entry.then, label %rev.entry.else

rev.entry.join.entry.then:
  br label %rev.entry.then

rev.entry.else:
  br label %rev.entry

rev.entry.then:
  %2 = load double, ptr %x.d, align 8, !alias.scope !10, !noalias !11
  %3 = fadd reassoc nsz arcp contract double %2, %1
  store double %3, ptr %x.d, align 8, !alias.scope !10, !noalias !11
  br label %rev.entry

rev.entry:
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
!6 = !{!3}
!7 = !{!1, !2, !4, !5}
!8 = !{!2}
!9 = !{!1, !3, !4, !5}
!10 = !{!4}
!11 = !{!1, !2, !3, !5}
