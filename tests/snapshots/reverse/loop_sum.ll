
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

define void @grad.f(ptr %x, ptr %x.d, i64 %n, double %seed) nounwind {
entry:
  %i.r = alloca i64
  %primal.result = alloca double
  %sum.d = alloca double
  %0 = sub i64 %n, 1
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s = phi double [ 0.0, %entry ], [ %sum, %loop ]
  %p = getelementptr double, ptr %x, i64 %i
  %p.d = getelementptr double, ptr %x.d, i64 %i
  %v = load double, ptr %p, !alias.scope !4, !noalias !5
  %q = fmul double %v, %v
  %sum = fadd double %s, %q
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop

end:
  %r = phi double [ %sum, %loop ]
  store double %r, ptr %primal.result
  br label %rev.end

rev.end:
  br label %rev.end.loop

rev.end.loop:
  store double 0.000000e+00, ptr %sum.d
  %1 = load double, ptr %sum.d
  %2 = fadd reassoc nsz arcp contract double %1, %seed
  store double %2, ptr %sum.d
  %3 = sub i64 %n, 1
  store i64 %3, ptr %i.r
  br label %rev.loop

rev.loop:
  %sum.adj = load double, ptr %sum.d
  store double 0.000000e+00, ptr %sum.d
  %iv.r = load i64, ptr %i.r
  %p.r = getelementptr double, ptr %x, i64 %iv.r
  %v.r = load double, ptr %p.r, !alias.scope !4, !noalias !5
  %4 = fmul nsz arcp contract double %sum.adj, %v.r
  %5 = fmul nsz arcp contract double %sum.adj, %v.r
  %6 = fadd reassoc nsz arcp contract double %4, %5
  %p.d.r = getelementptr double, ptr %x.d, i64 %iv.r
  %7 = load double, ptr %p.d.r, align 8, !alias.scope !8, !noalias !9
  %8 = fadd reassoc nsz arcp contract double %7, %6
  store double %8, ptr %p.d.r, align 8, !alias.scope !8, !noalias !9
  %9 = icmp eq i64 %iv.r, 0
  br i1 %9, label %rev.entry, label %rev.loop.loop

rev.loop.loop:
  %10 = load double, ptr %sum.d
  %11 = fadd reassoc nsz arcp contract double %10, %sum.adj
  store double %11, ptr %sum.d
  %12 = sub i64 %iv.r, 1
  store i64 %12, ptr %i.r
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
