
define double @f(ptr %x, i64 %n) {
entry:
  br label %test

test:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %s = phi double [ 1.0, %entry ], [ %product, %body ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %end

body:
  %p = getelementptr double, ptr %x, i64 %i
  %v = load double, ptr %p
  %product = fmul double %s, %v
  %next = add nuw nsw i64 %i, 1
  br label %test

end:
  %r = phi double [ %s, %test ]
  ret double %r
}

define void @grad.f(ptr %x, ptr %x.d, i64 %n, double %seed) nounwind "reciprocal-estimates"="none" {
entry:
  %arena = alloca { ptr, ptr, i64, i64, i64, i64, i64 }
  store { ptr, ptr, i64, i64, i64, i64, i64 } zeroinitializer, ptr %arena
  %s.base = alloca ptr
  %0 = icmp sge i64 0, %n
  %1 = sub i64 %n, 1
  %2 = add i64 %1, 1
  %count = select i1 %0, i64 0, i64 %2
  %extent = add i64 %count, 1
  %extent.1 = call i64 @llvm.smax.i64(i64 %extent, i64 1)
  %3 = mul i64 %extent.1, 8
  %cache = call ptr @enzyme_allocate(ptr %arena, i64 %3)
  %4 = icmp eq ptr %cache, null
  %5 = getelementptr i8, ptr %cache, i64 0
  store ptr %5, ptr %s.base
  br i1 %4, label %no.memory, label %test

test:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %s = phi double [ 1.0, %entry ], [ %product, %body ]
  %6 = load ptr, ptr %s.base
  %7 = getelementptr double, ptr %6, i64 %i
  store double %s, ptr %7, !alias.scope !6, !noalias !7
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %end

body:
  %p = getelementptr double, ptr %x, i64 %i
  %p.d = getelementptr double, ptr %x.d, i64 %i
  %v = load double, ptr %p, !alias.scope !4, !noalias !5
  %product = fmul double %s, %v
  %next = add nuw nsw i64 %i, 1
  br label %test

end:
  %r = phi double [ %s, %test ]
  br label %rev.end

no.memory:
  call void @enzyme_release(ptr %arena, i1 true)
  call void @abort()
  unreachable

rev.end:
  br label %rev.end.test

rev.end.test:
  %8 = icmp sge i64 0, %n
  %9 = sub i64 %n, 1
  %10 = add i64 %9, 1
  %count.r = select i1 %8, i64 0, i64 %10
  br label %rev.test

rev.body:
  %p.r = getelementptr double, ptr %x, i64 %18
  %v.r = load double, ptr %p.r, !alias.scope !4, !noalias !5
  %11 = fmul nsz arcp contract double %s.d, %v.r
  %12 = load ptr, ptr %s.base
  %13 = getelementptr double, ptr %12, i64 %18
  %s.l = load double, ptr %13, !alias.scope !6, !noalias !7
  %14 = fmul nsz arcp contract double %s.d, %s.l
  %p.d.r = getelementptr double, ptr %x.d, i64 %18
  %15 = load double, ptr %p.d.r, align 8, !alias.scope !8, !noalias !9
  %16 = fadd reassoc nsz arcp contract double %15, %14
  store double %16, ptr %p.d.r, align 8, !alias.scope !8, !noalias !9
  br label %rev.test

rev.test:
  %s.d = phi double [ %seed, %rev.end.test ], [ %11, %rev.body ]
  %i.r = phi i64 [ %count.r, %rev.end.test ], [ %18, %rev.body ]
  %17 = icmp eq i64 %i.r, 0
  br i1 %17, label %rev.entry, label %rev.test.body

rev.test.body:
  %18 = sub i64 %i.r, 1
  br label %rev.body

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
