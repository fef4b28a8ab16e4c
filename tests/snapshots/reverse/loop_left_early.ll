
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

define void @grad.f(ptr %x, ptr %x.d, i64 %n, double %seed) nounwind {
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
  %arena = alloca { ptr, ptr, i64, i64 }
  store { ptr, ptr, i64, i64 } zeroinitializer, ptr %arena
  %i.r = alloca i64
  %primal.result = alloca double
  %product.d = alloca double
  store double 0.000000e+00, ptr %product.d
  %s.d = alloca double
  store double 0.000000e+00, ptr %s.d
  %v.d = alloca double
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
  store double %q, ptr %primal.result
  br label %rev.found

end:
  %loop.trips.1 = phi i64 [ %i, %more ]
  %r = phi double [ %product, %more ]
  store i64 %loop.trips.1, ptr %loop.trips.c
  store double %r, ptr %primal.result
  br label %rev.end

no.memory:
  call void @enzyme_release(ptr %arena, i1 true)
  call void @abort()
  unreachable

rev.end:
  br label %rev.end.more

rev.end.more:
  %11 = load double, ptr %product.d
  %12 = fadd reassoc nsz arcp contract double %11, %seed
  store double %12, ptr %product.d
  %loop.trips.l = load i64, ptr %loop.trips.c
  store i64 %loop.trips.l, ptr %i.r
  br label %rev.more

rev.more:
  store double 0.000000e+00, ptr %v.d
  %product.adj = load double, ptr %product.d
  store double 0.000000e+00, ptr %product.d
  %iv.r = load i64, ptr %i.r
  %p.r = getelementptr double, ptr %x, i64 %iv.r
  %v.r = load double, ptr %p.r, !alias.scope !4, !noalias !5
  %13 = fmul nsz arcp contract double %product.adj, %v.r
  %14 = load double, ptr %s.d
  %15 = fadd reassoc nsz arcp contract double %14, %13
  store double %15, ptr %s.d
  %16 = load i64, ptr %position
  %17 = mul i64 %16, 8
  %18 = load ptr, ptr %cache
  %19 = getelementptr i8, ptr %18, i64 %17
  %s.l = load double, ptr %19, !alias.scope !6, !noalias !7
  %20 = fmul nsz arcp contract double %product.adj, %s.l
  %21 = load double, ptr %v.d
  %22 = fadd reassoc nsz arcp contract double %21, %20
  store double %22, ptr %v.d
  br label %rev.loop

rev.found:
  %u.l = load double, ptr %u.c
  %23 = fmul nsz arcp contract double %seed, %u.l
  %24 = fmul nsz arcp contract double %seed, %u.l
  %25 = fadd reassoc nsz arcp contract double %23, %24
  br label %rev.found.loop

rev.found.loop:
  %26 = load double, ptr %s.d
  %27 = fadd reassoc nsz arcp contract double %26, %25
  store double %27, ptr %s.d
  %loop.trips.l.1 = load i64, ptr %loop.trips.c.1
  store i64 %loop.trips.l.1, ptr %i.r
  br label %rev.loop.end

rev.loop:
  %v.adj = load double, ptr %v.d
  store double 0.000000e+00, ptr %v.d
  %iv.r.1 = load i64, ptr %i.r
  %p.d.r = getelementptr double, ptr %x.d, i64 %iv.r.1
  %28 = load double, ptr %p.d.r, align 8, !alias.scope !8, !noalias !9
  %29 = fadd reassoc nsz arcp contract double %28, %v.adj
  store double %29, ptr %p.d.r, align 8, !alias.scope !8, !noalias !9
  br label %rev.loop.end

rev.loop.more:
  %30 = load double, ptr %product.d
  %31 = fadd reassoc nsz arcp contract double %30, %s.adj
  store double %31, ptr %product.d
  %32 = sub i64 %iv.r.2, 1
  store i64 %32, ptr %i.r
  br label %rev.more

rev.loop.end:
  %s.adj = load double, ptr %s.d
  store double 0.000000e+00, ptr %s.d
  %iv.r.2 = load i64, ptr %i.r
  %33 = load i64, ptr %position
  %34 = sub i64 %33, 1
  store i64 %34, ptr %position
  %35 = icmp eq i64 %iv.r.2, 0
  br i1 %35, label %rev.entry, label %rev.loop.more

rev.entry:
  br label %rev.finish

rev.finish:
  call void @enzyme_release(ptr %arena, i1 false)
  ret void
}

declare { ptr, i64 } @enzyme_grow(ptr, ptr, i64, i64) nounwind cold

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
