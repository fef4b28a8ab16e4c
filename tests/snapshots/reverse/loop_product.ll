
define double @f(ptr %x, i64 %n) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s = phi double [ 1.0, %entry ], [ %product, %loop ]
  %p = getelementptr double, ptr %x, i64 %i
  %v = load double, ptr %p
  %product = fmul double %s, %v
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop

end:
  %r = phi double [ %product, %loop ]
  ret double %r
}

define void @grad.f(ptr %x, ptr %x.d, i64 %n, double %seed) nounwind "reciprocal-estimates"="none" {
entry:
  %arena = alloca { ptr, ptr, i64, i64, i64, i64, i64 }
  store { ptr, ptr, i64, i64, i64, i64, i64 } zeroinitializer, ptr %arena
  %s.base = alloca ptr
  %0 = sub i64 %n, 1
  %extent = add i64 %0, 1
  %extent.1 = call i64 @llvm.smax.i64(i64 %extent, i64 1)
  %1 = mul i64 %extent.1, 8
  %cache = call ptr @enzyme_allocate(ptr %arena, i64 %1)
  %2 = icmp eq ptr %cache, null
  %3 = getelementptr i8, ptr %cache, i64 0
  store ptr %3, ptr %s.base
  br i1 %2, label %no.memory, label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s = phi double [ 1.0, %entry ], [ %product, %loop ]
  %4 = load ptr, ptr %s.base
  %5 = getelementptr double, ptr %4, i64 %i
  store double %s, ptr %5, !alias.scope !6, !noalias !7
  %p = getelementptr double, ptr %x, i64 %i
  %p.d = getelementptr double, ptr %x.d, i64 %i
  %v = load double, ptr %p, !alias.scope !4, !noalias !5
  %product = fmul double %s, %v
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop

end:
  %r = phi double [ %product, %loop ]
  br label %rev.end

no.memory:
  call void @enzyme_release(ptr %arena, i1 true)
  call void @abort()
  unreachable

rev.end:
  br label %rev.end.loop

rev.end.loop:
  %6 = sub i64 %n, 1
  br label %rev.loop

rev.loop:
  %product.d = phi double [ %seed, %rev.end.loop ], [ %7, %rev.loop.loop ]
  %i.r = phi i64 [ %6, %rev.end.loop ], [ %14, %rev.loop.loop ]
  %p.r = getelementptr double, ptr %x, i64 %i.r
  %v.r = load double, ptr %p.r, !alias.scope !4, !noalias !5
  %7 = fmul nsz arcp contract double %product.d, %v.r
  %8 = load ptr, ptr %s.base
  %9 = getelementptr double, ptr %8, i64 %i.r
  %s.l = load double, ptr %9, !alias.scope !6, !noalias !7
  %10 = fmul nsz arcp contract double %product.d, %s.l
  %p.d.r = getelementptr double, ptr %x.d, i64 %i.r
  %11 = load double, ptr %p.d.r, align 8, !alias.scope !8, !noalias !9
  %12 = fadd reassoc nsz arcp contract double %11, %10
  store double %12, ptr %p.d.r, align 8, !alias.scope !8, !noalias !9
  %13 = icmp eq i64 %i.r, 0
  br i1 %13, label %rev.entry, label %rev.loop.loop

rev.loop.loop:
  %14 = sub i64 %i.r, 1
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
