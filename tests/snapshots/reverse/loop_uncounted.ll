
declare double @llvm.fabs.f64(double)

define double @f(double %x) {
entry:
  br label %loop

loop:
  %y = phi double [ %x, %entry ], [ %better, %loop ]
  %q = fdiv double %x, %y
  %s = fadd double %y, %q
  %better = fmul double %s, 0.5
  %step = fsub double %better, %y
  %size = call double @llvm.fabs.f64(double %step)
  %more = fcmp ogt double %size, 1.0e-3
  br i1 %more, label %loop, label %end

end:
  %r = phi double [ %better, %loop ]
  ret double %r
}

define { double } @grad.f(double %x, double %seed) nounwind {
entry:
  %loop.trips.c = alloca i64
  %cache = alloca ptr
  store ptr null, ptr %cache
  %capacity = alloca i64
  store i64 0, ptr %capacity
  %position = alloca i64
  store i64 -1, ptr %position
  %arena = alloca { ptr, ptr, i64, i64 }
  store { ptr, ptr, i64, i64 } zeroinitializer, ptr %arena
  %loop.iv.r = alloca i64
  %primal.result = alloca double
  %better.d = alloca double
  %x.d = alloca double
  br label %loop

loop:
  %loop.iv = phi i64 [ 0, %entry ], [ %loop.iv.next, %loop.body ]
  %y = phi double [ %x, %entry ], [ %better, %loop.body ]
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
  store double %y, ptr %10, !alias.scope !6, !noalias !7
  %q = fdiv double %x, %y
  %s = fadd double %y, %q
  %better = fmul double %s, 0.5
  %step = fsub double %better, %y
  %size = call double @llvm.fabs.f64(double %step)
  %more = fcmp ogt double %size, 1.0e-3
  %loop.iv.next = add nuw nsw i64 %loop.iv, 1
  br i1 %more, label %loop, label %end

end:
  %loop.trips = phi i64 [ %loop.iv, %loop.body ]
  %r = phi double [ %better, %loop.body ]
  store i64 %loop.trips, ptr %loop.trips.c
  store double %r, ptr %primal.result
  br label %rev.end

no.memory:
  call void @enzyme_release(ptr %arena, i1 true)
  call void @abort()
  unreachable

rev.end:
  br label %rev.end.loop

rev.end.loop:
  store double 0.000000e+00, ptr %x.d
  store double 0.000000e+00, ptr %better.d
  %11 = load double, ptr %better.d
  %12 = fadd reassoc nsz arcp contract double %11, %seed
  store double %12, ptr %better.d
  %loop.trips.l = load i64, ptr %loop.trips.c
  store i64 %loop.trips.l, ptr %loop.iv.r
  br label %rev.loop

rev.loop:
  %better.adj = load double, ptr %better.d
  store double 0.000000e+00, ptr %better.d
  %13 = fmul nsz arcp contract double %better.adj, 0.5
  %14 = load i64, ptr %position
  %15 = mul i64 %14, 8
  %16 = load ptr, ptr %cache
  %17 = getelementptr i8, ptr %16, i64 %15
  %y.l = load double, ptr %17, !alias.scope !6, !noalias !7
  %18 = fdiv nsz arcp contract double %13, %y.l
  %19 = fcmp oeq double %13, 0x0000000000000000
  %20 = select i1 %19, double 0.000000e+00, double %18
  %21 = load double, ptr %x.d
  %22 = fadd reassoc nsz arcp contract double %21, %20
  store double %22, ptr %x.d
  %23 = fdiv nsz arcp contract double %13, %y.l
  %24 = fneg nsz arcp contract double %23
  %q.r = fdiv double %x, %y.l
  %25 = fmul nsz arcp contract double %24, %q.r
  %26 = fcmp oeq double %13, 0x0000000000000000
  %27 = select i1 %26, double 0.000000e+00, double %25
  %28 = fadd reassoc nsz arcp contract double %13, %27
  %iv.r = load i64, ptr %loop.iv.r
  %29 = load i64, ptr %position
  %30 = sub i64 %29, 1
  store i64 %30, ptr %position
  %31 = icmp eq i64 %iv.r, 0
  br i1 %31, label %rev.loop.entry, label %rev.loop.loop

rev.loop.loop:
  %32 = load double, ptr %better.d
  %33 = fadd reassoc nsz arcp contract double %32, %28
  store double %33, ptr %better.d
  %34 = sub i64 %iv.r, 1
  store i64 %34, ptr %loop.iv.r
  br label %rev.loop

rev.loop.entry:
  %35 = load double, ptr %x.d
  %36 = fadd reassoc nsz arcp contract double %35, %28
  store double %36, ptr %x.d
  br label %rev.entry

rev.entry:
  br label %rev.finish

rev.finish:
  %37 = load double, ptr %x.d
  call void @enzyme_release(ptr %arena, i1 false)
  %38 = insertvalue { double } undef, double %37, 0
  ret { double } %38
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
