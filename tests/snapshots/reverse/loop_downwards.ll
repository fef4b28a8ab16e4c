
define double @f(ptr %x, i64 %n) {
entry:
  br label %loop

loop:
  %i = phi i64 [ %n, %entry ], [ %next, %loop ]
  %s = phi double [ 1.0, %entry ], [ %horner, %loop ]
  %next = add nsw i64 %i, -1
  %p = getelementptr double, ptr %x, i64 %next
  %v = load double, ptr %p
  %a = fmul double %s, 0.5
  %horner = fadd double %a, %v
  %done = icmp eq i64 %next, 0
  br i1 %done, label %end, label %loop

end:
  %r = phi double [ %horner, %loop ]
  ret double %r
}

define void @grad.f(ptr %x, ptr %x.d, i64 %n, double %seed) nounwind "reciprocal-estimates"="none" {
entry:
  %i.first = add i64 %n, -1
  br label %loop

loop:
  %loop.iv = phi i64 [ 0, %entry ], [ %loop.iv.next, %loop ]
  %i = phi i64 [ %n, %entry ], [ %next, %loop ]
  %s = phi double [ 1.0, %entry ], [ %horner, %loop ]
  %next = add nsw i64 %i, -1
  %p = getelementptr double, ptr %x, i64 %next
  %p.d = getelementptr double, ptr %x.d, i64 %next
  %v = load double, ptr %p, !alias.scope !4, !noalias !5
  %a = fmul double %s, 0.5
  %horner = fadd double %a, %v
  %done = icmp eq i64 %next, 0
  %loop.iv.next = add nuw nsw i64 %loop.iv, 1
  br i1 %done, label %end, label %loop

end:
  %r = phi double [ %horner, %loop ]
  br label %rev.end

rev.end:
  br label %rev.end.loop

rev.end.loop:
  %i.first.r = add i64 %n, -1
  br label %rev.loop

rev.loop:
  %horner.d = phi double [ %seed, %rev.end.loop ], [ %0, %rev.loop.loop ]
  %loop.iv.r = phi i64 [ %i.first.r, %rev.end.loop ], [ %6, %rev.loop.loop ]
  %0 = fmul nsz arcp contract double %horner.d, 0.5
  %1 = mul i64 %loop.iv.r, -1
  %2 = add i64 %n, %1
  %next.r = add nsw i64 %2, -1
  %p.d.r = getelementptr double, ptr %x.d, i64 %next.r
  %3 = load double, ptr %p.d.r, align 8, !alias.scope !6, !noalias !7
  %4 = fadd reassoc nsz arcp contract double %3, %horner.d
  store double %4, ptr %p.d.r, align 8, !alias.scope !6, !noalias !7
  %5 = icmp eq i64 %loop.iv.r, 0
  br i1 %5, label %rev.entry, label %rev.loop.loop

rev.loop.loop:
  %6 = sub i64 %loop.iv.r, 1
  br label %rev.loop

rev.entry:
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
