
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

define { double } @fwd.f(double %x, double %x.d, i64 %n) nounwind "reciprocal-estimates"="none" {
entry:
  %a = alloca [8 x double]
  %a.d = alloca [8 x double]
  store [8 x double] zeroinitializer, ptr %a.d, !alias.scope !4, !noalias !5
  store double %x, ptr %a, !alias.scope !6, !noalias !7
  store double %x.d, ptr %a.d, align 8, !alias.scope !8, !noalias !9
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr [8 x double], ptr %a, i64 0, i64 %i
  %p.d = getelementptr [8 x double], ptr %a.d, i64 0, i64 %i
  %v = load double, ptr %p, !alias.scope !6, !noalias !7
  %v.t = load double, ptr %p.d, align 8, !alias.scope !8, !noalias !9
  %m = fmul double %v, %x
  %0 = fmul double %v.t, %x
  %1 = fmul double %x.d, %v
  %2 = fadd double %0, %1
  %next = add nuw nsw i64 %i, 1
  %q = getelementptr [8 x double], ptr %a, i64 0, i64 %next
  %q.d = getelementptr [8 x double], ptr %a.d, i64 0, i64 %next
  store double %m, ptr %q, !alias.scope !6, !noalias !7
  store double %2, ptr %q.d, align 8, !alias.scope !8, !noalias !9
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop

end:
  %last = getelementptr [8 x double], ptr %a, i64 0, i64 %n
  %last.d = getelementptr [8 x double], ptr %a.d, i64 0, i64 %n
  %r = load double, ptr %last, !alias.scope !6, !noalias !7
  %r.t = load double, ptr %last.d, align 8, !alias.scope !8, !noalias !9
  %3 = insertvalue { double } undef, double %r.t, 0
  ret { double } %3
}


!14 = !{}
!0 = distinct !{!0, !"fwd.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
!4 = !{!3}
!5 = !{!1, !2}
!6 = !{!2}
!7 = !{!1, !3}
!8 = !{!3}
!9 = !{!1, !2}
