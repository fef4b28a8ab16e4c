
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

define { double } @grad.f(double %x, i64 %n, double %seed) nounwind "reciprocal-estimates"="none" {
entry:
  %arena = alloca { ptr, ptr, i64, i64, i64, i64, i64 }
  store { ptr, ptr, i64, i64, i64, i64, i64 } zeroinitializer, ptr %arena
  %p.d.base = alloca ptr
  %a.base = alloca ptr
  %0 = sub i64 %n, 1
  %extent = add i64 %0, 1
  %extent.1 = call i64 @llvm.smax.i64(i64 %extent, i64 1)
  %1 = mul i64 %extent.1, 16
  %cache = call ptr @enzyme_allocate(ptr %arena, i64 %1)
  %2 = icmp eq ptr %cache, null
  %3 = getelementptr i8, ptr %cache, i64 0
  store ptr %3, ptr %p.d.base
  %4 = mul i64 %extent.1, 8
  %5 = getelementptr i8, ptr %cache, i64 %4
  store ptr %5, ptr %a.base
  br i1 %2, label %no.memory, label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop.kept ]
  %s = phi double [ %x, %entry ], [ %s.next, %loop.kept ]
  %p = call ptr @malloc(i64 8)
  %p.d = call ptr @malloc(i64 8)
  %6 = icmp eq ptr %p.d, null
  br i1 %6, label %no.memory, label %loop.kept

loop.kept:
  %7 = load ptr, ptr %p.d.base
  %8 = getelementptr ptr, ptr %7, i64 %i
  store ptr %p.d, ptr %8, !alias.scope !6, !noalias !7
  call void @llvm.memset.p0.i64(ptr %p.d, i8 0, i64 8, i1 false)
  store double %s, ptr %p, !alias.scope !4, !noalias !5
  %a = load double, ptr %p, !alias.scope !4, !noalias !5
  %9 = load ptr, ptr %a.base
  %10 = getelementptr double, ptr %9, i64 %i
  store double %a, ptr %10, !alias.scope !6, !noalias !7
  %s.next = fmul double %a, %a
  call void @enzyme_hold(ptr %arena, ptr %p, i64 2)
  call void @enzyme_hold(ptr %arena, ptr %p.d, i64 2)
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop

end:
  %r = phi double [ %s.next, %loop.kept ]
  br label %rev.end

no.memory:
  call void @enzyme_release(ptr %arena, i1 true)
  call void @abort()
  unreachable

rev.end:
  br label %rev.end.loop

rev.end.loop:
  %11 = sub i64 %n, 1
  br label %rev.loop

rev.loop:
  %s.next.d = phi double [ %seed, %rev.end.loop ], [ %20, %rev.loop.loop ]
  %i.r = phi i64 [ %11, %rev.end.loop ], [ %22, %rev.loop.loop ]
  %12 = load ptr, ptr %a.base
  %13 = getelementptr double, ptr %12, i64 %i.r
  %a.l = load double, ptr %13, !alias.scope !6, !noalias !7
  %14 = fadd reassoc nsz arcp contract double %a.l, %a.l
  %15 = fmul nsz arcp contract double %s.next.d, %14
  %16 = load ptr, ptr %p.d.base
  %17 = getelementptr ptr, ptr %16, i64 %i.r
  %p.d.l = load ptr, ptr %17, !alias.scope !6, !noalias !7
  %18 = load double, ptr %p.d.l, align 8, !alias.scope !8, !noalias !9
  %19 = fadd reassoc nsz arcp contract double %18, %15
  store double %19, ptr %p.d.l, align 8, !alias.scope !8, !noalias !9
  %20 = load double, ptr %p.d.l, align 8, !alias.scope !8, !noalias !9
  store double 0.000000e+00, ptr %p.d.l, align 8, !alias.scope !8, !noalias !9
  %21 = icmp eq i64 %i.r, 0
  br i1 %21, label %rev.loop.entry, label %rev.loop.loop

rev.loop.loop:
  %22 = sub i64 %i.r, 1
  br label %rev.loop

rev.loop.entry:
  br label %rev.entry

rev.entry:
  br label %rev.finish

rev.finish:
  call void @enzyme_release(ptr %arena, i1 false)
  %23 = insertvalue { double } undef, double %20, 0
  ret { double } %23
}

declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

declare void @enzyme_hold(ptr, ptr, i64) nounwind

declare i64 @llvm.smax.i64(i64, i64)

declare noalias ptr @enzyme_allocate(ptr, i64) nounwind

declare void @enzyme_release(ptr, i1) nounwind

declare void @abort()


!14 = !{}
!0 = distinct !{!0, !"grad.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
!4 = !{!2}
!5 = !{!1, !3}
!6 = !{!1}
!7 = !{!2, !3}
!8 = !{!3}
!9 = !{!1, !2}
