
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

define void @grad.f(ptr %x, ptr %x.d, i64 %n, double %seed) nounwind {
entry:
  %loop.iv.r = alloca i64
  %primal.result = alloca double
  %horner.d = alloca double
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
  store double %r, ptr %primal.result
  br label %rev.end

rev.end:
  br label %rev.end.loop

rev.end.loop:
  store double 0.000000e+00, ptr %horner.d
  %0 = load double, ptr %horner.d
  %1 = fadd reassoc nsz arcp contract double %0, %seed
  store double %1, ptr %horner.d
  %i.first.r = add i64 %n, -1
  store i64 %i.first.r, ptr %loop.iv.r
  br label %rev.loop

rev.loop:
  %horner.adj = load double, ptr %horner.d
  store double 0.000000e+00, ptr %horner.d
  %2 = fmul nsz arcp contract double %horner.adj, 0.5
  %iv.r = load i64, ptr %loop.iv.r
  %3 = mul i64 %iv.r, -1
  %4 = add i64 %n, %3
  %next.r = add nsw i64 %4, -1
  %p.d.r = getelementptr double, ptr %x.d, i64 %next.r
  %5 = load double, ptr %p.d.r, align 8, !alias.scope !8, !noalias !9
  %6 = fadd reassoc nsz arcp contract double %5, %horner.adj
  store double %6, ptr %p.d.r, align 8, !alias.scope !8, !noalias !9
  %7 = icmp eq i64 %iv.r, 0
  br i1 %7, label %rev.entry, label %rev.loop.loop

rev.loop.loop:
  %8 = load double, ptr %horner.d
  %9 = fadd reassoc nsz arcp contract double %8, %2
  store double %9, ptr %horner.d
  %10 = sub i64 %iv.r, 1
  store i64 %10, ptr %loop.iv.r
  br label %rev.loop

rev.entry:
  br label %rev.finish

rev.finish:
  ret void
}


!0 = distinct !{!0, !"grad.f"}
!1 = distinct !{!1, !0, !"primal"}
!2 = distinct !{!2, !0, !"cache"}
!3 = distinct !{!3, !0, !"shadow 0"}
!4 = !{!1}
!5 = !{!2, !3}
!6 = !{!2}
!7 = !{!1, !3}
!8 = !{!3}
!9 = !{!1, !2}
