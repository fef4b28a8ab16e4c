
define float @f(ptr %x, i64 %n) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s = phi float [ 1.0, %entry ], [ %product, %loop ]
  %p = getelementptr float, ptr %x, i64 %i
  %v = load float, ptr %p
  %product = fmul float %s, %v
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop

end:
  %r = phi float [ %product, %loop ]
  ret float %r
}

define { float } @fwd.f(ptr %x, ptr %x.d, i64 %n) nounwind "reciprocal-estimates"="none" {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s = phi float [ 1.0, %entry ], [ %product, %loop ]
  %s.t = phi float [ 0.000000e+00, %entry ], [ %2, %loop ]
  %p = getelementptr float, ptr %x, i64 %i
  %p.d = getelementptr float, ptr %x.d, i64 %i
  %v = load float, ptr %p, !alias.scope !4, !noalias !5
  %v.t = load float, ptr %p.d, align 4, !alias.scope !6, !noalias !7
  %product = fmul float %s, %v
  %0 = fmul float %s.t, %v
  %1 = fmul float %v.t, %s
  %2 = fadd float %0, %1
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop

end:
  %r = phi float [ %product, %loop ]
  %r.t = phi float [ %2, %loop ]
  %3 = insertvalue { float } undef, float %r.t, 0
  ret { float } %3
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
