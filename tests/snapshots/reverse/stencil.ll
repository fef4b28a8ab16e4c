
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
  %b.base = alloca ptr
  %last = sub i64 %n, 1
  %0 = sub i64 %last, 2
  %extent = add i64 %0, 1
  %extent.1 = call i64 @llvm.smax.i64(i64 %extent, i64 1)
  %1 = mul i64 %extent.1, 8
  %cache = call ptr @enzyme_allocate(ptr %arena, i64 %1)
  %2 = icmp eq ptr %cache, null
  %3 = getelementptr i8, ptr %cache, i64 0
  store ptr %3, ptr %b.base
  br i1 %2, label %no.memory, label %loop

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
  %b = load double, ptr %p, !alias.scope !4, !noalias !5
  %4 = load ptr, ptr %b.base
  %5 = getelementptr double, ptr %4, i64 %loop.iv
  store double %b, ptr %5, !alias.scope !6, !noalias !7
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
  %6 = sub i64 %last.r, 2
  br label %rev.loop

rev.loop:
  %loop.iv.r = phi i64 [ %6, %rev.end.loop ], [ %20, %rev.loop.loop ]
  %7 = add i64 1, %loop.iv.r
  %p.d.r = getelementptr double, ptr %x.d, i64 %7
  %8 = load double, ptr %p.d.r, align 8, !alias.scope !8, !noalias !9
  store double 0.000000e+00, ptr %p.d.r, align 8, !alias.scope !8, !noalias !9
  %9 = load ptr, ptr %b.base
  %10 = getelementptr double, ptr %9, i64 %loop.iv.r
  %b.l = load double, ptr %10, !alias.scope !6, !noalias !7
  %11 = fmul nsz arcp contract double %8, %b.l
  %p.r = getelementptr double, ptr %x, i64 %7
  %before.r = getelementptr i8, ptr %p.r, i64 -8
  %a.r = load double, ptr %before.r, !alias.scope !4, !noalias !5
  %12 = fmul nsz arcp contract double %8, %a.r
  %after.d.r = getelementptr i8, ptr %p.d.r, i64 8
  %13 = load double, ptr %after.d.r, align 8, !alias.scope !8, !noalias !9
  %14 = fadd reassoc nsz arcp contract double %13, %8
  store double %14, ptr %after.d.r, align 8, !alias.scope !8, !noalias !9
  %15 = load double, ptr %p.d.r, align 8, !alias.scope !8, !noalias !9
  %16 = fadd reassoc nsz arcp contract double %15, %12
  store double %16, ptr %p.d.r, align 8, !alias.scope !8, !noalias !9
  %before.d.r = getelementptr i8, ptr %p.d.r, i64 -8
  %17 = load double, ptr %before.d.r, align 8, !alias.scope !8, !noalias !9
  %18 = fadd reassoc nsz arcp contract double %17, %11
  store double %18, ptr %before.d.r, align 8, !alias.scope !8, !noalias !9
  %19 = icmp eq i64 %loop.iv.r, 0
  br i1 %19, label %rev.entry, label %rev.loop.loop

rev.loop.loop:
  %20 = sub i64 %loop.iv.r, 1
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
