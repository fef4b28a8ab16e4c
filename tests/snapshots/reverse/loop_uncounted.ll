
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

define { double } @grad.f(double %x, double %seed) nounwind "reciprocal-estimates"="none" {
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
  store double %y, ptr %10, !alias.scope !4, !noalias !5
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
  %x.d = phi double [ 0.000000e+00, %rev.end.loop ], [ %17, %rev.loop.loop ]
  %better.d = phi double [ %seed, %rev.end.loop ], [ %21, %rev.loop.loop ]
  %loop.iv.r = phi i64 [ %loop.trips.l, %rev.end.loop ], [ %25, %rev.loop.loop ]
  %11 = fmul nsz arcp contract double %better.d, 0.5
  %12 = load i64, ptr %position
  %13 = mul i64 %12, 8
  %14 = load ptr, ptr %cache
  %15 = getelementptr i8, ptr %14, i64 %13
  %y.l = load double, ptr %15, !alias.scope !4, !noalias !5
  %16 = fdiv nsz arcp contract double %11, %y.l
  %17 = fadd reassoc nsz arcp contract double %x.d, %16
  %18 = fdiv nsz arcp contract double %11, %y.l
  %19 = fneg nsz arcp contract double %18
  %q.r = fdiv double %x, %y.l
  %20 = fmul nsz arcp contract double %19, %q.r
  %21 = fadd reassoc nsz arcp contract double %11, %20
  %22 = load i64, ptr %position
  %23 = sub i64 %22, 1
  store i64 %23, ptr %position
  %24 = icmp eq i64 %loop.iv.r, 0
  br i1 %24, label %rev.loop.entry, label %rev.loop.loop

rev.loop.loop:
  %25 = sub i64 %loop.iv.r, 1
  br label %rev.loop

rev.loop.entry:
  %26 = fadd reassoc nsz arcp contract double %17, %21
  br label %rev.entry

rev.entry:
  br label %rev.finish

rev.finish:
  call void @enzyme_release(ptr %arena, i1 false)
  %27 = insertvalue { double } undef, double %26, 0
  ret { double } %27
}

declare { ptr, i64 } @enzyme_grow(ptr, ptr, i64, i64) nounwind cold

declare void @enzyme_release(ptr, i1) nounwind

declare void @abort()


!14 = !{}
!0 = distinct !{!0, !"grad.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
!4 = !{!1}
!5 = !{!2, !3}
