
define double @f(double %x, i64 %n) {
entry:
  %a = alloca [8 x double]
  store double %x, ptr %a
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr [8 x double], ptr %a, i64 0, i64 %i
  %v = load double, ptr %p
  %m = fmul double %v, %x
  %next = add nuw nsw i64 %i, 1
  %q = getelementptr [8 x double], ptr %a, i64 0, i64 %next
  store double %m, ptr %q
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop

end:
  %last = getelementptr [8 x double], ptr %a, i64 0, i64 %n
  %r = load double, ptr %last
  ret double %r
}

define { double } @grad.f(double %x, i64 %n, double %seed) nounwind "reciprocal-estimates"="none" {
entry:
  %a = alloca [8 x double]
  %a.d = alloca [8 x double]
  store [8 x double] zeroinitializer, ptr %a.d, !alias.scope !4, !noalias !5
  store double %x, ptr %a, !alias.scope !6, !noalias !7
  %0 = sub i64 %n, 1
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr [8 x double], ptr %a, i64 0, i64 %i
  %p.d = getelementptr [8 x double], ptr %a.d, i64 0, i64 %i
  %v = load double, ptr %p, !alias.scope !6, !noalias !7
  %m = fmul double %v, %x
  %next = add nuw nsw i64 %i, 1
  %q = getelementptr [8 x double], ptr %a, i64 0, i64 %next
  %q.d = getelementptr [8 x double], ptr %a.d, i64 0, i64 %next
  store double %m, ptr %q, !alias.scope !6, !noalias !7
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop

end:
  %last = getelementptr [8 x double], ptr %a, i64 0, i64 %n
  %last.d = getelementptr [8 x double], ptr %a.d, i64 0, i64 %n
  %r = load double, ptr %last, !alias.scope !6, !noalias !7
  br label %rev.end

rev.end:
  %last.d.r = getelementptr [8 x double], ptr %a.d, i64 0, i64 %n
  %1 = load double, ptr %last.d.r, align 8, !alias.scope !8, !noalias !9
  %2 = fadd reassoc nsz arcp contract double %1, %seed
  store double %2, ptr %last.d.r, align 8, !alias.scope !8, !noalias !9
  br label %rev.end.loop

rev.end.loop:
  %3 = sub i64 %n, 1
  br label %rev.loop

rev.loop:
  %x.d = phi double [ 0.000000e+00, %rev.end.loop ], [ %7, %rev.loop.loop ]
  %i.r = phi i64 [ %3, %rev.end.loop ], [ %11, %rev.loop.loop ]
  %next.r = add nuw nsw i64 %i.r, 1
  %q.d.r = getelementptr [8 x double], ptr %a.d, i64 0, i64 %next.r
  %4 = load double, ptr %q.d.r, align 8, !alias.scope !8, !noalias !9
  store double 0.000000e+00, ptr %q.d.r, align 8, !alias.scope !8, !noalias !9
  %5 = fmul nsz arcp contract double %4, %x
  %p.r = getelementptr [8 x double], ptr %a, i64 0, i64 %i.r
  %v.r = load double, ptr %p.r, !alias.scope !6, !noalias !7
  %6 = fmul nsz arcp contract double %4, %v.r
  %7 = fadd reassoc nsz arcp contract double %x.d, %6
  %p.d.r = getelementptr [8 x double], ptr %a.d, i64 0, i64 %i.r
  %8 = load double, ptr %p.d.r, align 8, !alias.scope !8, !noalias !9
  %9 = fadd reassoc nsz arcp contract double %8, %5
  store double %9, ptr %p.d.r, align 8, !alias.scope !8, !noalias !9
  %10 = icmp eq i64 %i.r, 0
  br i1 %10, label %rev.entry, label %rev.loop.loop

rev.loop.loop:
  %11 = sub i64 %i.r, 1
  br label %rev.loop

rev.entry:
  %12 = load double, ptr %a.d, align 8, !alias.scope !8, !noalias !9
  store double 0.000000e+00, ptr %a.d, align 8, !alias.scope !8, !noalias !9
  %13 = fadd reassoc nsz arcp contract double %7, %12
  br label %rev.finish

rev.finish:
  %14 = insertvalue { double } undef, double %13, 0
  ret { double } %14
}


!14 = !{}
!0 = distinct !{!0, !"grad.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
!4 = !{!3}
!5 = !{!1, !2}
!6 = !{!2}
!7 = !{!1, !3}
!8 = !{!3}
!9 = !{!1, !2}
