
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

define void @grad.f(ptr %x, ptr %x.d, i64 %n, double %seed) nounwind {
entry:
  %cache = alloca ptr
  store ptr null, ptr %cache
  %arena = alloca { ptr, ptr, i64, i64 }
  store { ptr, ptr, i64, i64 } zeroinitializer, ptr %arena
  %s.base = alloca ptr
  %i.r = alloca i64
  %primal.result = alloca double
  %s.next.d = alloca double
  %s.d = alloca double
  %product.d = alloca double
  %v.d = alloca double
  %0 = sub i64 %n, 1
  %extent = add i64 %0, 1
  %extent.1 = call i64 @llvm.smax.i64(i64 %extent, i64 1)
  %1 = mul i64 %extent.1, 8
  %cache.1 = call ptr @enzyme_allocate(ptr %arena, i64 %1)
  store ptr %cache.1, ptr %cache
  %2 = getelementptr i8, ptr %cache.1, i64 0
  store ptr %2, ptr %s.base
  %3 = icmp eq ptr %cache.1, null
  br i1 %3, label %no.memory, label %loop

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
  store double %r, ptr %primal.result
  br label %rev.end

no.memory:
  call void @enzyme_release(ptr %arena, i1 true)
  call void @abort()
  unreachable

rev.end:
  br label %rev.end.latch

rev.end.latch:
  store double 0.000000e+00, ptr %v.d
  store double 0.000000e+00, ptr %product.d
  store double 0.000000e+00, ptr %s.d
  store double 0.000000e+00, ptr %s.next.d
  %6 = load double, ptr %s.next.d
  %7 = fadd reassoc nsz arcp contract double %6, %seed
  store double %7, ptr %s.next.d
  %8 = sub i64 %n, 1
  store i64 %8, ptr %i.r
  br label %rev.latch

rev.latch:
  %s.next.adj = load double, ptr %s.next.d
  store double 0.000000e+00, ptr %s.next.d
  %iv.r = load i64, ptr %i.r
  %p.r = getelementptr double, ptr %x, i64 %iv.r
  %v.r = load double, ptr %p.r, !alias.scope !4, !noalias !5
  %negative.r = fcmp olt double %v.r, 0.0
  br i1 %negative.r, label %rev.latch.loop, label %rev.latch.take

rev.latch.take:
  %9 = load double, ptr %product.d
  %10 = fadd reassoc nsz arcp contract double %9, %s.next.adj
  store double %10, ptr %product.d
  br label %rev.take

rev.latch.loop:
  %11 = load double, ptr %s.d
  %12 = fadd reassoc nsz arcp contract double %11, %s.next.adj
  store double %12, ptr %s.d
  br label %rev.loop.end

rev.take:
  %product.adj = load double, ptr %product.d
  store double 0.000000e+00, ptr %product.d
  %iv.r.1 = load i64, ptr %i.r
  %p.r.1 = getelementptr double, ptr %x, i64 %iv.r.1
  %v.r.1 = load double, ptr %p.r.1, !alias.scope !4, !noalias !5
  %13 = fmul nsz arcp contract double %product.adj, %v.r.1
  %14 = load double, ptr %s.d
  %15 = fadd reassoc nsz arcp contract double %14, %13
  store double %15, ptr %s.d
  %16 = load ptr, ptr %s.base
  %17 = getelementptr double, ptr %16, i64 %iv.r.1
  %s.l = load double, ptr %17, !alias.scope !6, !noalias !7
  %18 = fmul nsz arcp contract double %product.adj, %s.l
  %19 = load double, ptr %v.d
  %20 = fadd reassoc nsz arcp contract double %19, %18
  store double %20, ptr %v.d
  br label %rev.loop

rev.loop:
  %v.adj = load double, ptr %v.d
  store double 0.000000e+00, ptr %v.d
  %iv.r.2 = load i64, ptr %i.r
  %p.d.r = getelementptr double, ptr %x.d, i64 %iv.r.2
  %21 = load double, ptr %p.d.r, align 8, !alias.scope !8, !noalias !9
  %22 = fadd reassoc nsz arcp contract double %21, %v.adj
  store double %22, ptr %p.d.r, align 8, !alias.scope !8, !noalias !9
  br label %rev.loop.end

rev.loop.latch:
  %23 = load double, ptr %s.next.d
  %24 = fadd reassoc nsz arcp contract double %23, %s.adj
  store double %24, ptr %s.next.d
  %25 = sub i64 %iv.r.3, 1
  store i64 %25, ptr %i.r
  br label %rev.latch

rev.loop.end:
  %s.adj = load double, ptr %s.d
  store double 0.000000e+00, ptr %s.d
  %iv.r.3 = load i64, ptr %i.r
  %26 = icmp eq i64 %iv.r.3, 0
  br i1 %26, label %rev.entry, label %rev.loop.latch

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
