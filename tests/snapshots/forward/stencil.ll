
define void @f(ptr %x, i64 %n) {
entry:
  %last = sub i64 %n, 1
  br label %loop

loop:
  %i = phi i64 [ 1, %entry ], [ %next, %loop ]
  %p = getelementptr double, ptr %x, i64 %i
  %before = getelementptr i8, ptr %p, i64 -8
  %after = getelementptr i8, ptr %p, i64 8
  %a = load double, ptr %before
  %b = load double, ptr %p
  %c = load double, ptr %after
  %m = fmul double %a, %b
  %s = fadd double %m, %c
  store double %s, ptr %p
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %last
  br i1 %done, label %end, label %loop

end:
  ret void
}

define void @fwd.f(ptr %x, ptr %x.d, i64 %n) nounwind "reciprocal-estimates"="none" {
entry:
  %last = sub i64 %n, 1
  br label %loop

loop:
  %i = phi i64 [ 1, %entry ], [ %next, %loop ]
  %p = getelementptr double, ptr %x, i64 %i
  %p.d = getelementptr double, ptr %x.d, i64 %i
  %before = getelementptr i8, ptr %p, i64 -8
  %before.d = getelementptr i8, ptr %p.d, i64 -8
  %after = getelementptr i8, ptr %p, i64 8
  %after.d = getelementptr i8, ptr %p.d, i64 8
  %a = load double, ptr %before, !alias.scope !4, !noalias !5
  %a.t = load double, ptr %before.d, align 8, !alias.scope !6, !noalias !7
  %b = load double, ptr %p, !alias.scope !4, !noalias !5
  %b.t = load double, ptr %p.d, align 8, !alias.scope !6, !noalias !7
  %c = load double, ptr %after, !alias.scope !4, !noalias !5
  %c.t = load double, ptr %after.d, align 8, !alias.scope !6, !noalias !7
  %m = fmul double %a, %b
  %0 = fmul double %a.t, %b
  %1 = fmul double %b.t, %a
  %2 = fadd double %0, %1
  %s = fadd double %m, %c
  %3 = fadd double %2, %c.t
  store double %s, ptr %p, !alias.scope !4, !noalias !5
  store double %3, ptr %p.d, align 8, !alias.scope !6, !noalias !7
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %last
  br i1 %done, label %end, label %loop

end:
  ret void
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
