
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

define { double, double } @grad.f(double %x, double %y, i64 %n, double %seed) nounwind "reciprocal-estimates"="none" {
entry:
  %arena = alloca { ptr, ptr, i64, i64, i64, i64, i64 }
  store { ptr, ptr, i64, i64, i64, i64, i64 } zeroinitializer, ptr %arena
  %a.base = alloca ptr
  %b.base = alloca ptr
  %0 = sub i64 %n, 1
  %extent = add i64 %0, 1
  %extent.1 = call i64 @llvm.smax.i64(i64 %extent, i64 1)
  %1 = mul i64 %extent.1, 16
  %cache = call ptr @enzyme_allocate(ptr %arena, i64 %1)
  %2 = icmp eq ptr %cache, null
  %3 = getelementptr i8, ptr %cache, i64 0
  store ptr %3, ptr %a.base
  %4 = mul i64 %extent.1, 8
  %5 = getelementptr i8, ptr %cache, i64 %4
  store ptr %5, ptr %b.base
  br i1 %2, label %no.memory, label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %a = phi double [ %x, %entry ], [ %b, %loop ]
  %b = phi double [ %y, %entry ], [ %c, %loop ]
  %6 = load ptr, ptr %b.base
  %7 = getelementptr double, ptr %6, i64 %i
  store double %b, ptr %7, !alias.scope !4, !noalias !5
  %8 = load ptr, ptr %a.base
  %9 = getelementptr double, ptr %8, i64 %i
  store double %a, ptr %9, !alias.scope !4, !noalias !5
  %c = fmul double %a, %b
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop

end:
  %r = phi double [ %c, %loop ]
  br label %rev.end

no.memory:
  call void @enzyme_release(ptr %arena, i1 true)
  call void @abort()
  unreachable

rev.end:
  br label %rev.end.loop

rev.end.loop:
  %10 = sub i64 %n, 1
  br label %rev.loop

rev.loop:
  %b.d = phi double [ 0.000000e+00, %rev.end.loop ], [ %13, %rev.loop.loop ]
  %c.d = phi double [ %seed, %rev.end.loop ], [ %17, %rev.loop.loop ]
  %i.r = phi i64 [ %10, %rev.end.loop ], [ %19, %rev.loop.loop ]
  %11 = load ptr, ptr %b.base
  %12 = getelementptr double, ptr %11, i64 %i.r
  %b.l = load double, ptr %12, !alias.scope !4, !noalias !5
  %13 = fmul nsz arcp contract double %c.d, %b.l
  %14 = load ptr, ptr %a.base
  %15 = getelementptr double, ptr %14, i64 %i.r
  %a.l = load double, ptr %15, !alias.scope !4, !noalias !5
  %16 = fmul nsz arcp contract double %c.d, %a.l
  %17 = fadd reassoc nsz arcp contract double %b.d, %16
  %18 = icmp eq i64 %i.r, 0
  br i1 %18, label %rev.loop.entry, label %rev.loop.loop

rev.loop.loop:
  %19 = sub i64 %i.r, 1
  br label %rev.loop

rev.loop.entry:
  br label %rev.entry

rev.entry:
  br label %rev.finish

rev.finish:
  call void @enzyme_release(ptr %arena, i1 false)
  %20 = insertvalue { double, double } undef, double %13, 0
  %21 = insertvalue { double, double } %20, double %17, 1
  ret { double, double } %21
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
!4 = !{!1}
!5 = !{!2, !3}
