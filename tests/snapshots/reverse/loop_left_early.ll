
define double @f(ptr %x, i64 %n) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %more ]
  %s = phi double [ 1.0, %entry ], [ %product, %more ]
  %p = getelementptr double, ptr %x, i64 %i
  %v = load double, ptr %p
  %negative = fcmp olt double %v, 0.0
  br i1 %negative, label %found, label %more

more:
  %product = fmul double %s, %v
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop

found:
  %u = phi double [ %s, %loop ]
  %q = fmul double %u, %u
  ret double %q

end:
  %r = phi double [ %product, %more ]
  ret double %r
}

define void @grad.f(ptr %x, ptr %x.d, i64 %n, double %seed) nounwind "reciprocal-estimates"="none" {
entry:
  %loop.trips.c = alloca i64
  %loop.trips.c.1 = alloca i64
  %u.c = alloca double
  %cache = alloca ptr
  store ptr null, ptr %cache
  %capacity = alloca i64
  store i64 0, ptr %capacity
  %position = alloca i64
  store i64 -1, ptr %position
  %arena = alloca { ptr, ptr, i64, i64, i64, i64, i64 }
  store { ptr, ptr, i64, i64, i64, i64, i64 } zeroinitializer, ptr %arena
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %more ]
  %s = phi double [ 1.0, %entry ], [ %product, %more ]
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
  %p = getelementptr double, ptr %x, i64 %i
  %p.d = getelementptr double, ptr %x.d, i64 %i
  %v = load double, ptr %p, !alias.scope !4, !noalias !5
  %negative = fcmp olt double %v, 0.0
  br i1 %negative, label %found, label %more

more:
  %product = fmul double %s, %v
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop

found:
  %loop.trips = phi i64 [ %i, %loop.body ]
  %u = phi double [ %s, %loop.body ]
  store double %u, ptr %u.c
  store i64 %loop.trips, ptr %loop.trips.c.1
  %q = fmul double %u, %u
  br label %rev.found

end:
  %loop.trips.1 = phi i64 [ %i, %more ]
  %r = phi double [ %product, %more ]
  store i64 %loop.trips.1, ptr %loop.trips.c
  br label %rev.end

no.memory:
  call void @enzyme_release(ptr %arena, i1 true)
  call void @abort()
  unreachable

rev.end:
  br label %rev.end.more

rev.end.more:
  %loop.trips.l = load i64, ptr %loop.trips.c
  br label %rev.more

rev.more:
  %product.d = phi double [ %seed, %rev.end.more ], [ %s.d, %rev.loop.more ]
  %i.r = phi i64 [ %loop.trips.l, %rev.end.more ], [ %21, %rev.loop.more ]
  %p.r = getelementptr double, ptr %x, i64 %i.r
  %v.r = load double, ptr %p.r, !alias.scope !4, !noalias !5
  %11 = fmul nsz arcp contract double %product.d, %v.r
  %12 = load i64, ptr %position
  %13 = mul i64 %12, 8
  %14 = load ptr, ptr %cache
  %15 = getelementptr i8, ptr %14, i64 %13
  %s.l = load double, ptr %15, !alias.scope !6, !noalias !7
  %16 = fmul nsz arcp contract double %product.d, %s.l
  br label %rev.loop

rev.found:
  %u.l = load double, ptr %u.c
  %17 = fadd reassoc nsz arcp contract double %u.l, %u.l
  %18 = fmul nsz arcp contract double %seed, %17
  br label %rev.found.loop

rev.found.loop:
  %loop.trips.l.1 = load i64, ptr %loop.trips.c.1
  br label %rev.loop.end

rev.loop:
  %p.d.r = getelementptr double, ptr %x.d, i64 %i.r
  %19 = load double, ptr %p.d.r, align 8, !alias.scope !8, !noalias !9
  %20 = fadd reassoc nsz arcp contract double %19, %16
  store double %20, ptr %p.d.r, align 8, !alias.scope !8, !noalias !9
  br label %rev.loop.end

rev.loop.more:
  %21 = sub i64 %i.r.1, 1
  br label %rev.more

rev.loop.end:
  %s.d = phi double [ %18, %rev.found.loop ], [ %11, %rev.loop ]
  %i.r.1 = phi i64 [ %loop.trips.l.1, %rev.found.loop ], [ %i.r, %rev.loop ]
  %22 = load i64, ptr %position
  %23 = sub i64 %22, 1
  store i64 %23, ptr %position
  %24 = icmp eq i64 %i.r.1, 0
  br i1 %24, label %rev.entry, label %rev.loop.more

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
