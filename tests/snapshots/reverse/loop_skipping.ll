
define double @f(ptr %x, i64 %n) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %s = phi double [ 1.0, %entry ], [ %s.next, %latch ]
  %p = getelementptr double, ptr %x, i64 %i
  %v = load double, ptr %p
  %negative = fcmp olt double %v, 0.0
  br i1 %negative, label %latch, label %take

take:
  %product = fmul double %s, %v
  br label %latch

latch:
  %s.next = phi double [ %s, %loop ], [ %product, %take ]
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop

end:
  %r = phi double [ %s.next, %latch ]
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
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %s = phi double [ 1.0, %entry ], [ %s.next, %latch ]
  %4 = load ptr, ptr %s.base
  %5 = getelementptr double, ptr %4, i64 %i
  store double %s, ptr %5, !alias.scope !6, !noalias !7
  %p = getelementptr double, ptr %x, i64 %i
  %p.d = getelementptr double, ptr %x.d, i64 %i
  %v = load double, ptr %p, !alias.scope !4, !noalias !5
  %negative = fcmp olt double %v, 0.0
  br i1 %negative, label %latch, label %take

take:
  %product = fmul double %s, %v
  br label %latch

latch:
  %s.next = phi double [ %s, %loop ], [ %product, %take ]
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop

end:
  %r = phi double [ %s.next, %latch ]
  br label %rev.end

no.memory:
  call void @enzyme_release(ptr %arena, i1 true)
  call void @abort()
  unreachable

rev.end:
  br label %rev.end.latch

rev.end.latch:
  %6 = sub i64 %n, 1
  br label %rev.latch

rev.latch:
  %v.d = phi double [ 0.000000e+00, %rev.end.latch ], [ %v.d.1, %rev.loop.latch ]
  %product.d = phi double [ 0.000000e+00, %rev.end.latch ], [ %product.d.1, %rev.loop.latch ]
  %s.next.d = phi double [ %seed, %rev.end.latch ], [ %s.d, %rev.loop.latch ]
  %i.r = phi i64 [ %6, %rev.end.latch ], [ %15, %rev.loop.latch ]
  %p.r = getelementptr double, ptr %x, i64 %i.r
  %v.r = load double, ptr %p.r, !alias.scope !4, !noalias !5
  %negative.r = fcmp olt double %v.r, 0.0
  br i1 %negative.r, label %rev.latch.loop, label %rev.latch.take

rev.latch.take:
  %7 = fadd reassoc nsz arcp contract double %product.d, %s.next.d
  br label %rev.take

rev.latch.loop:
  br label %rev.loop.end

rev.take:
  %p.r.1 = getelementptr double, ptr %x, i64 %i.r
  %v.r.1 = load double, ptr %p.r.1, !alias.scope !4, !noalias !5
  %8 = fmul nsz arcp contract double %7, %v.r.1
  %9 = load ptr, ptr %s.base
  %10 = getelementptr double, ptr %9, i64 %i.r
  %s.l = load double, ptr %10, !alias.scope !6, !noalias !7
  %11 = fmul nsz arcp contract double %7, %s.l
  %12 = fadd reassoc nsz arcp contract double %v.d, %11
  br label %rev.loop

rev.loop:
  %p.d.r = getelementptr double, ptr %x.d, i64 %i.r
  %13 = load double, ptr %p.d.r, align 8, !alias.scope !8, !noalias !9
  %14 = fadd reassoc nsz arcp contract double %13, %12
  store double %14, ptr %p.d.r, align 8, !alias.scope !8, !noalias !9
  br label %rev.loop.end

rev.loop.latch:
  %15 = sub i64 %i.r, 1
  br label %rev.latch

rev.loop.end:
  %v.d.1 = phi double [ %v.d, %rev.latch.loop ], [ 0.000000e+00, %rev.loop ]
  %product.d.1 = phi double [ %product.d, %rev.latch.loop ], [ 0.000000e+00, %rev.loop ]
  %s.d = phi double [ %s.next.d, %rev.latch.loop ], [ %8, %rev.loop ]
  %16 = icmp eq i64 %i.r, 0
  br i1 %16, label %rev.entry, label %rev.loop.latch

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
