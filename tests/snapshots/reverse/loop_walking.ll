
define double @f(ptr %x, i64 %n) {
entry:
  %last = getelementptr double, ptr %x, i64 %n
  br label %loop

loop:
  %p = phi ptr [ %x, %entry ], [ %p.next, %loop ]
  %s = phi double [ 1.0, %entry ], [ %product, %loop ]
  %v = load double, ptr %p
  %product = fmul double %s, %v
  %p.next = getelementptr double, ptr %p, i64 1
  %done = icmp eq ptr %p.next, %last
  br i1 %done, label %end, label %loop

end:
  %r = phi double [ %product, %loop ]
  ret double %r
}

define void @grad.f(ptr %x, ptr %x.d, i64 %n, double %seed) nounwind "reciprocal-estimates"="none" {
entry:
  %loop.trips.c = alloca i64
  %cache = alloca ptr
  store ptr null, ptr %cache
  %capacity = alloca i64
  store i64 0, ptr %capacity
  %position = alloca i64
  store i64 -1, ptr %position
  %arena = alloca { ptr, ptr, i64, i64, i64, i64, i64 }
  store { ptr, ptr, i64, i64, i64, i64, i64 } zeroinitializer, ptr %arena
  %last = getelementptr double, ptr %x, i64 %n
  %last.d = getelementptr double, ptr %x.d, i64 %n
  br label %loop

loop:
  %loop.iv = phi i64 [ 0, %entry ], [ %loop.iv.next, %loop.body ]
  %p = phi ptr [ %x, %entry ], [ %p.next, %loop.body ]
  %p.d = phi ptr [ %x.d, %entry ], [ %p.next.d, %loop.body ]
  %s = phi double [ 1.0, %entry ], [ %product, %loop.body ]
  %0 = load i64, ptr %position
  %position.1 = add i64 %0, 1
  store i64 %position.1, ptr %position
  %capacity.1 = load i64, ptr %capacity
  %1 = icmp ult i64 %position.1, %capacity.1
  br i1 %1, label %loop.body, label %loop.grow

loop.grow:
  %2 = load ptr, ptr %cache
  %3 = call { ptr, i64 } @enzyme_grow(ptr %arena, ptr %2, i64 %capacity.1, i64 8)
  %cache.1 = extractvalue { ptr, i64 } %3, 0
  %4 = icmp eq ptr %cache.1, null
  %5 = extractvalue { ptr, i64 } %3, 1
  store i64 %5, ptr %capacity
  %6 = select i1 %4, ptr %2, ptr %cache.1
  store ptr %6, ptr %cache
  br i1 %4, label %no.memory, label %loop.body

loop.body:
  %7 = load i64, ptr %position
  %8 = mul i64 %7, 8
  %9 = load ptr, ptr %cache
  %10 = getelementptr i8, ptr %9, i64 %8
  store double %s, ptr %10, !alias.scope !6, !noalias !7
  %v = load double, ptr %p, !alias.scope !4, !noalias !5
  %product = fmul double %s, %v
  %p.next = getelementptr double, ptr %p, i64 1
  %p.next.d = getelementptr double, ptr %p.d, i64 1
  %done = icmp eq ptr %p.next, %last
  %loop.iv.next = add nuw nsw i64 %loop.iv, 1
  br i1 %done, label %end, label %loop

end:
  %loop.trips = phi i64 [ %loop.iv, %loop.body ]
  %r = phi double [ %product, %loop.body ]
  store i64 %loop.trips, ptr %loop.trips.c
  br label %rev.end

no.memory:
  call void @enzyme_release(ptr %arena, i1 true)
  call void @abort()
  unreachable

rev.end:
  br label %rev.end.loop

rev.end.loop:
  %loop.trips.l = load i64, ptr %loop.trips.c
  br label %rev.loop

rev.loop:
  %product.d = phi double [ %seed, %rev.end.loop ], [ %12, %rev.loop.loop ]
  %loop.iv.r = phi i64 [ %loop.trips.l, %rev.end.loop ], [ %24, %rev.loop.loop ]
  %11 = getelementptr double, ptr %x, i64 %loop.iv.r
  %v.r = load double, ptr %11, !alias.scope !4, !noalias !5
  %12 = fmul nsz arcp contract double %product.d, %v.r
  %13 = load i64, ptr %position
  %14 = mul i64 %13, 8
  %15 = load ptr, ptr %cache
  %16 = getelementptr i8, ptr %15, i64 %14
  %s.l = load double, ptr %16, !alias.scope !6, !noalias !7
  %17 = fmul nsz arcp contract double %product.d, %s.l
  %18 = getelementptr double, ptr %x.d, i64 %loop.iv.r
  %19 = load double, ptr %18, align 8, !alias.scope !8, !noalias !9
  %20 = fadd reassoc nsz arcp contract double %19, %17
  store double %20, ptr %18, align 8, !alias.scope !8, !noalias !9
  %21 = load i64, ptr %position
  %22 = sub i64 %21, 1
  store i64 %22, ptr %position
  %23 = icmp eq i64 %loop.iv.r, 0
  br i1 %23, label %rev.entry, label %rev.loop.loop

rev.loop.loop:
  %24 = sub i64 %loop.iv.r, 1
  br label %rev.loop

rev.entry:
  br label %rev.finish

rev.finish:
  call void @enzyme_release(ptr %arena, i1 false)
  ret void
}

declare { ptr, i64 } @enzyme_grow(ptr, ptr, i64, i64) nounwind cold

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
