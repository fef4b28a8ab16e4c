
define double @f(ptr %x, i64 %n) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s = phi double [ 0.0, %entry ], [ %sum, %loop ]
  %p = getelementptr double, ptr %x, i64 %i
  %v = load double, ptr %p
  %q = fmul double %v, %v
  %sum = fadd double %s, %q
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop

end:
  %r = phi double [ %sum, %loop ]
  ret double %r
}

define void @grad.f(ptr %x, ptr %x.d, i64 %n, double %seed) nounwind "reciprocal-estimates"="none" {
entry:
  %0 = sub i64 %n, 1
  br label %end

loop:
  %sum.d = phi double [ %seed, %rev.end.loop ], [ %sum.d, %rev.loop.again ]
  %i = phi i64 [ 0, %rev.end.loop ], [ %next, %rev.loop.again ]
  %p = getelementptr double, ptr %x, i64 %i
  %p.d = getelementptr double, ptr %x.d, i64 %i
  %v = load double, ptr %p, !alias.scope !4, !noalias !5
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br label %rev.loop

end:
  br label %rev.end

rev.end:
  br label %rev.end.loop

rev.end.loop:
  br label %loop

rev.loop:
  %1 = fadd reassoc nsz arcp contract double %v, %v
  %2 = fmul nsz arcp contract double %sum.d, %1
  %3 = load double, ptr %p.d, align 8, !alias.scope !6, !noalias !7
  %4 = fadd reassoc nsz arcp contract double %3, %2
  store double %4, ptr %p.d, align 8, !alias.scope !6, !noalias !7
  br i1 %done, label %rev.entry, label %rev.loop.again

rev.loop.again:
  br label %loop

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
