
define double @f(ptr %c, double %x, i64 %n) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s = phi double [ 0.0, %entry ], [ %sum, %loop ]
  %p = getelementptr double, ptr %c, i64 %i
  %v = load double, ptr %p
  %m = fmul double %s, %x
  %sum = fadd double %m, %v
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop

end:
  %r = phi double [ %sum, %loop ]
  ret double %r
}

define { double } @grad.f(ptr %c, double %x, i64 %n, double %seed) nounwind "reciprocal-estimates"="none" {
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
  %s = phi double [ 0.0, %entry ], [ %sum, %loop ]
  %4 = load ptr, ptr %s.base
  %5 = getelementptr double, ptr %4, i64 %i
  store double %s, ptr %5, !alias.scope !6, !noalias !7
  %p = getelementptr double, ptr %c, i64 %i
  %v = load double, ptr %p, !alias.scope !4, !noalias !5
  %m = fmul double %s, %x
  %sum = fadd double %m, %v
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop

end:
  %r = phi double [ %sum, %loop ]
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
  %x.d = phi double [ 0.000000e+00, %rev.end.loop ], [ %11, %rev.loop.loop ]
  %sum.d = phi double [ %seed, %rev.end.loop ], [ %7, %rev.loop.loop ]
  %i.r = phi i64 [ %6, %rev.end.loop ], [ %13, %rev.loop.loop ]
  %7 = fmul nsz arcp contract double %sum.d, %x
  %8 = load ptr, ptr %s.base
  %9 = getelementptr double, ptr %8, i64 %i.r
  %s.l = load double, ptr %9, !alias.scope !6, !noalias !7
  %10 = fmul nsz arcp contract double %sum.d, %s.l
  %11 = fadd reassoc nsz arcp contract double %x.d, %10
  %12 = icmp eq i64 %i.r, 0
  br i1 %12, label %rev.entry, label %rev.loop.loop

rev.loop.loop:
  %13 = sub i64 %i.r, 1
  br label %rev.loop

rev.entry:
  br label %rev.finish

rev.finish:
  call void @enzyme_release(ptr %arena, i1 false)
  %14 = insertvalue { double } undef, double %11, 0
  ret { double } %14
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
