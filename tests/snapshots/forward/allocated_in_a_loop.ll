
declare noalias ptr @malloc(i64)

declare void @free(ptr)

define double @f(double %x, i64 %n) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s = phi double [ %x, %entry ], [ %s.next, %loop ]
  %p = call ptr @malloc(i64 8)
  store double %s, ptr %p
  %a = load double, ptr %p
  %s.next = fmul double %a, %a
  call void @free(ptr %p)
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop

end:
  %r = phi double [ %s.next, %loop ]
  ret double %r
}

define { double } @fwd.f(double %x, double %x.d, i64 %n) nounwind "reciprocal-estimates"="none" {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop.kept ]
  %s = phi double [ %x, %entry ], [ %s.next, %loop.kept ]
  %s.t = phi double [ %x.d, %entry ], [ %2, %loop.kept ]
  %p = call ptr @malloc(i64 8)
  %p.d = call ptr @malloc(i64 8)
  %0 = icmp eq ptr %p.d, null
  br i1 %0, label %no.memory, label %loop.kept

loop.kept:
  call void @llvm.memset.p0.i64(ptr %p.d, i8 0, i64 8, i1 false)
  store double %s, ptr %p, !alias.scope !4, !noalias !5
  store double %s.t, ptr %p.d, align 8, !alias.scope !6, !noalias !7
  %a = load double, ptr %p, !alias.scope !4, !noalias !5
  %a.t = load double, ptr %p.d, align 8, !alias.scope !6, !noalias !7
  %s.next = fmul double %a, %a
  %1 = fadd double %a, %a
  %2 = fmul double %a.t, %1
  call void @free(ptr %p)
  call void @free(ptr %p.d)
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop

end:
  %r = phi double [ %s.next, %loop.kept ]
  %r.t = phi double [ %2, %loop.kept ]
  %3 = insertvalue { double } undef, double %r.t, 0
  ret { double } %3

no.memory:
  call void @abort()
  unreachable
}

declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

declare void @abort()


!14 = !{}
!0 = distinct !{!0, !"fwd.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
!4 = !{!2}
!5 = !{!1, !3}
!6 = !{!3}
!7 = !{!1, !2}
