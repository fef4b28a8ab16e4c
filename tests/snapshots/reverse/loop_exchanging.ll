
define double @f(double %x, double %y, i64 %n) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %a = phi double [ %x, %entry ], [ %b, %loop ]
  %b = phi double [ %y, %entry ], [ %c, %loop ]
  %c = fmul double %a, %b
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop

end:
  %r = phi double [ %c, %loop ]
  ret double %r
}

define { double, double } @grad.f(double %x, double %y, i64 %n, double %seed) nounwind {
entry:
  %cache = alloca ptr
  store ptr null, ptr %cache
  %arena = alloca { ptr, ptr, i64, i64 }
  store { ptr, ptr, i64, i64 } zeroinitializer, ptr %arena
  %a.base = alloca ptr
  %b.base = alloca ptr
  %i.r = alloca i64
  %primal.result = alloca double
  %c.d = alloca double
  %b.d = alloca double
  %x.d = alloca double
  %y.d = alloca double
  %0 = sub i64 %n, 1
  %extent = add i64 %0, 1
  %extent.1 = call i64 @llvm.smax.i64(i64 %extent, i64 1)
  %1 = mul i64 %extent.1, 16
  %cache.1 = call ptr @enzyme_allocate(ptr %arena, i64 %1)
  store ptr %cache.1, ptr %cache
  %2 = getelementptr i8, ptr %cache.1, i64 0
  store ptr %2, ptr %a.base
  %3 = mul i64 %extent.1, 8
  %4 = getelementptr i8, ptr %cache.1, i64 %3
  store ptr %4, ptr %b.base
  %5 = icmp eq ptr %cache.1, null
  br i1 %5, label %no.memory, label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %a = phi double [ %x, %entry ], [ %b, %loop ]
  %b = phi double [ %y, %entry ], [ %c, %loop ]
  %6 = load ptr, ptr %b.base
  %7 = getelementptr double, ptr %6, i64 %i
  store double %b, ptr %7, !alias.scope !6, !noalias !7
  %8 = load ptr, ptr %a.base
  %9 = getelementptr double, ptr %8, i64 %i
  store double %a, ptr %9, !alias.scope !6, !noalias !7
  %c = fmul double %a, %b
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop

end:
  %r = phi double [ %c, %loop ]
  store double %r, ptr %primal.result
  br label %rev.end

no.memory:
  call void @enzyme_release(ptr %arena, i1 true)
  call void @abort()
  unreachable

rev.end:
  br label %rev.end.loop

rev.end.loop:
  store double 0.000000e+00, ptr %b.d
  store double 0.000000e+00, ptr %c.d
  %10 = load double, ptr %c.d
  %11 = fadd reassoc nsz arcp contract double %10, %seed
  store double %11, ptr %c.d
  %12 = sub i64 %n, 1
  store i64 %12, ptr %i.r
  br label %rev.loop

rev.loop:
  %c.adj = load double, ptr %c.d
  store double 0.000000e+00, ptr %c.d
  %13 = load ptr, ptr %b.base
  %iv.r = load i64, ptr %i.r
  %14 = getelementptr double, ptr %13, i64 %iv.r
  %b.l = load double, ptr %14, !alias.scope !6, !noalias !7
  %15 = fmul nsz arcp contract double %c.adj, %b.l
  %16 = load ptr, ptr %a.base
  %17 = getelementptr double, ptr %16, i64 %iv.r
  %a.l = load double, ptr %17, !alias.scope !6, !noalias !7
  %18 = fmul nsz arcp contract double %c.adj, %a.l
  %19 = load double, ptr %b.d
  %20 = fadd reassoc nsz arcp contract double %19, %18
  store double %20, ptr %b.d
  %b.adj = load double, ptr %b.d
  store double 0.000000e+00, ptr %b.d
  %21 = icmp eq i64 %iv.r, 0
  br i1 %21, label %rev.loop.entry, label %rev.loop.loop

rev.loop.loop:
  %22 = load double, ptr %b.d
  %23 = fadd reassoc nsz arcp contract double %22, %15
  store double %23, ptr %b.d
  %24 = load double, ptr %c.d
  %25 = fadd reassoc nsz arcp contract double %24, %b.adj
  store double %25, ptr %c.d
  %26 = sub i64 %iv.r, 1
  store i64 %26, ptr %i.r
  br label %rev.loop

rev.loop.entry:
  store double 0.000000e+00, ptr %y.d
  store double 0.000000e+00, ptr %x.d
  %27 = load double, ptr %x.d
  %28 = fadd reassoc nsz arcp contract double %27, %15
  store double %28, ptr %x.d
  %29 = load double, ptr %y.d
  %30 = fadd reassoc nsz arcp contract double %29, %b.adj
  store double %30, ptr %y.d
  br label %rev.entry

rev.entry:
  br label %rev.finish

rev.finish:
  %31 = load double, ptr %x.d
  %32 = load double, ptr %y.d
  call void @enzyme_release(ptr %arena, i1 false)
  %33 = insertvalue { double, double } undef, double %31, 0
  %34 = insertvalue { double, double } %33, double %32, 1
  ret { double, double } %34
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
