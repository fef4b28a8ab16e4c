
define void @f(ptr %x, i64 %n) {
entry:
  %last = sub i64 %n, 1
  br label %loop

loop:
  %i = phi i64 [ 1, %entry ], [ %next, %loop ]
  %p = getelementptr double, ptr %x, i64 %i
  %before = getelementptr i8, ptr %p, i64 -8
  %after = getelementptr i8, ptr %p, i64 8
  %a = load double, ptr %before
  %b = load double, ptr %p
  %c = load double, ptr %after
  %m = fmul double %a, %b
  %s = fadd double %m, %c
  store double %s, ptr %p
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %last
  br i1 %done, label %end, label %loop

end:
  ret void
}

define void @grad.f(ptr %x, ptr %x.d, i64 %n) nounwind "reciprocal-estimates"="none" {
entry:
  %arena = alloca { ptr, ptr, i64, i64, i64, i64, i64 }
  store { ptr, ptr, i64, i64, i64, i64, i64 } zeroinitializer, ptr %arena
  %a.base = alloca ptr
  %b.base = alloca ptr
  %last = sub i64 %n, 1
  %0 = sub i64 %last, 2
  %extent = add i64 %0, 1
  %extent.1 = call i64 @llvm.smax.i64(i64 %extent, i64 1)
  %1 = mul i64 %extent.1, 16
  %cache = call ptr @enzyme_allocate(ptr %arena, i64 %1)
  %2 = getelementptr i8, ptr %cache, i64 0
  store ptr %2, ptr %a.base
  %3 = mul i64 %extent.1, 8
  %4 = getelementptr i8, ptr %cache, i64 %3
  store ptr %4, ptr %b.base
  %5 = icmp eq ptr %cache, null
  br i1 %5, label %no.memory, label %loop

loop:
  %loop.iv = phi i64 [ 0, %entry ], [ %loop.iv.next, %loop ]
  %i = phi i64 [ 1, %entry ], [ %next, %loop ]
  %p = getelementptr double, ptr %x, i64 %i
  %p.d = getelementptr double, ptr %x.d, i64 %i
  %before = getelementptr i8, ptr %p, i64 -8
  %before.d = getelementptr i8, ptr %p.d, i64 -8
  %after = getelementptr i8, ptr %p, i64 8
  %after.d = getelementptr i8, ptr %p.d, i64 8
  %a = load double, ptr %before, !alias.scope !4, !noalias !5
  %6 = load ptr, ptr %a.base
  %7 = getelementptr double, ptr %6, i64 %loop.iv
  store double %a, ptr %7, !alias.scope !6, !noalias !7
  %b = load double, ptr %p, !alias.scope !4, !noalias !5
  %8 = load ptr, ptr %b.base
  %9 = getelementptr double, ptr %8, i64 %loop.iv
  store double %b, ptr %9, !alias.scope !6, !noalias !7
  %c = load double, ptr %after, !alias.scope !4, !noalias !5
  %m = fmul double %a, %b
  %s = fadd double %m, %c
  store double %s, ptr %p, !alias.scope !4, !noalias !5
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %last
  %loop.iv.next = add nuw nsw i64 %loop.iv, 1
  br i1 %done, label %end, label %loop

end:
  br label %rev.end

no.memory:
  call void @enzyme_release(ptr %arena, i1 true)
  call void @abort()
  unreachable

rev.end:
  br label %rev.end.loop

rev.end.loop:
  %last.r = sub i64 %n, 1
  %10 = sub i64 %last.r, 2
  br label %rev.loop

rev.loop:
  %loop.iv.r = phi i64 [ %10, %rev.end.loop ], [ %26, %rev.loop.loop ]
  %11 = add i64 1, %loop.iv.r
  %p.d.r = getelementptr double, ptr %x.d, i64 %11
  %12 = load double, ptr %p.d.r, align 8, !alias.scope !8, !noalias !9
  store double 0.000000e+00, ptr %p.d.r, align 8, !alias.scope !8, !noalias !9
  %13 = load ptr, ptr %b.base
  %14 = getelementptr double, ptr %13, i64 %loop.iv.r
  %b.l = load double, ptr %14, !alias.scope !6, !noalias !7
  %15 = fmul nsz arcp contract double %12, %b.l
  %16 = load ptr, ptr %a.base
  %17 = getelementptr double, ptr %16, i64 %loop.iv.r
  %a.l = load double, ptr %17, !alias.scope !6, !noalias !7
  %18 = fmul nsz arcp contract double %12, %a.l
  %after.d.r = getelementptr i8, ptr %p.d.r, i64 8
  %19 = load double, ptr %after.d.r, align 8, !alias.scope !8, !noalias !9
  %20 = fadd reassoc nsz arcp contract double %19, %12
  store double %20, ptr %after.d.r, align 8, !alias.scope !8, !noalias !9
  %21 = load double, ptr %p.d.r, align 8, !alias.scope !8, !noalias !9
  %22 = fadd reassoc nsz arcp contract double %21, %18
  store double %22, ptr %p.d.r, align 8, !alias.scope !8, !noalias !9
  %before.d.r = getelementptr i8, ptr %p.d.r, i64 -8
  %23 = load double, ptr %before.d.r, align 8, !alias.scope !8, !noalias !9
  %24 = fadd reassoc nsz arcp contract double %23, %15
  store double %24, ptr %before.d.r, align 8, !alias.scope !8, !noalias !9
  %25 = icmp eq i64 %loop.iv.r, 0
  br i1 %25, label %rev.entry, label %rev.loop.loop

rev.loop.loop:
  %26 = sub i64 %loop.iv.r, 1
  br label %rev.loop

rev.entry:
  br label %rev.finish

rev.finish:
  call void @enzyme_release(ptr %arena, i1 false)
  ret void
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
!4 = !{!2}
!5 = !{!1, !3}
!6 = !{!1}
!7 = !{!2, !3}
!8 = !{!3}
!9 = !{!1, !2}
