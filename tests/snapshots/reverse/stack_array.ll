
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
  %arena = alloca { ptr, ptr, i64, i64, i64, i64, i64 }
  store { ptr, ptr, i64, i64, i64, i64, i64 } zeroinitializer, ptr %arena
  %v.base = alloca ptr
  %a = alloca [8 x double]
  %a.d = alloca [8 x double]
  store [8 x double] zeroinitializer, ptr %a.d, !alias.scope !4, !noalias !5
  store double %x, ptr %a, !alias.scope !6, !noalias !7
  %0 = sub i64 %n, 1
  %extent = add i64 %0, 1
  %extent.1 = call i64 @llvm.smax.i64(i64 %extent, i64 1)
  %1 = mul i64 %extent.1, 8
  %cache = call ptr @enzyme_allocate(ptr %arena, i64 %1)
  %2 = getelementptr i8, ptr %cache, i64 0
  store ptr %2, ptr %v.base
  %3 = icmp eq ptr %cache, null
  br i1 %3, label %no.memory, label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr [8 x double], ptr %a, i64 0, i64 %i
  %p.d = getelementptr [8 x double], ptr %a.d, i64 0, i64 %i
  %v = load double, ptr %p, !alias.scope !6, !noalias !7
  %4 = load ptr, ptr %v.base
  %5 = getelementptr double, ptr %4, i64 %i
  store double %v, ptr %5, !alias.scope !8, !noalias !9
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

no.memory:
  call void @enzyme_release(ptr %arena, i1 true)
  call void @abort()
  unreachable

rev.end:
  %last.d.r = getelementptr [8 x double], ptr %a.d, i64 0, i64 %n
  %6 = load double, ptr %last.d.r, align 8, !alias.scope !10, !noalias !11
  %7 = fadd reassoc nsz arcp contract double %6, %seed
  store double %7, ptr %last.d.r, align 8, !alias.scope !10, !noalias !11
  br label %rev.end.loop

rev.end.loop:
  %8 = sub i64 %n, 1
  br label %rev.loop

rev.loop:
  %x.d = phi double [ 0.000000e+00, %rev.end.loop ], [ %14, %rev.loop.loop ]
  %i.r = phi i64 [ %8, %rev.end.loop ], [ %18, %rev.loop.loop ]
  %next.r = add nuw nsw i64 %i.r, 1
  %q.d.r = getelementptr [8 x double], ptr %a.d, i64 0, i64 %next.r
  %9 = load double, ptr %q.d.r, align 8, !alias.scope !10, !noalias !11
  store double 0.000000e+00, ptr %q.d.r, align 8, !alias.scope !10, !noalias !11
  %10 = fmul nsz arcp contract double %9, %x
  %11 = load ptr, ptr %v.base
  %12 = getelementptr double, ptr %11, i64 %i.r
  %v.l = load double, ptr %12, !alias.scope !8, !noalias !9
  %13 = fmul nsz arcp contract double %9, %v.l
  %14 = fadd reassoc nsz arcp contract double %x.d, %13
  %p.d.r = getelementptr [8 x double], ptr %a.d, i64 0, i64 %i.r
  %15 = load double, ptr %p.d.r, align 8, !alias.scope !10, !noalias !11
  %16 = fadd reassoc nsz arcp contract double %15, %10
  store double %16, ptr %p.d.r, align 8, !alias.scope !10, !noalias !11
  %17 = icmp eq i64 %i.r, 0
  br i1 %17, label %rev.entry, label %rev.loop.loop

rev.loop.loop:
  %18 = sub i64 %i.r, 1
  br label %rev.loop

rev.entry:
  %19 = load double, ptr %a.d, align 8, !alias.scope !10, !noalias !11
  store double 0.000000e+00, ptr %a.d, align 8, !alias.scope !10, !noalias !11
  %20 = fadd reassoc nsz arcp contract double %14, %19
  br label %rev.finish

rev.finish:
  call void @enzyme_release(ptr %arena, i1 false)
  %21 = insertvalue { double } undef, double %20, 0
  ret { double } %21
}

declare i64 @llvm.smax.i64(i64, i64)

declare noalias ptr @enzyme_allocate(ptr, i64) nounwind

declare void @enzyme_release(ptr, i1) nounwind

declare void @abort()


!14 = !{}
!0 = distinct !{!0, !"grad.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
!4 = !{!3}
!5 = !{!1, !2}
!6 = !{!2}
!7 = !{!1, !3}
!8 = !{!1}
!9 = !{!2, !3}
!10 = !{!3}
!11 = !{!1, !2}
