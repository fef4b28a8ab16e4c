
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

define void @grad.f(ptr %x, ptr %x.d, i64 %n, double %seed) nounwind {
entry:
  %cache = alloca ptr
  store ptr null, ptr %cache
  %arena = alloca { ptr, ptr, i64, i64 }
  store { ptr, ptr, i64, i64 } zeroinitializer, ptr %arena
  %s.base = alloca ptr
  %i.r = alloca i64
  %primal.result = alloca double
  %s.d = alloca double
  %product.d = alloca double
  %0 = icmp sge i64 0, %n
  %1 = sub i64 %n, 1
  %2 = add i64 %1, 1
  %count = select i1 %0, i64 0, i64 %2
  %extent = add i64 %count, 1
  %extent.1 = call i64 @llvm.smax.i64(i64 %extent, i64 1)
  %3 = mul i64 %extent.1, 8
  %cache.1 = call ptr @enzyme_allocate(ptr %arena, i64 %3)
  store ptr %cache.1, ptr %cache
  %4 = getelementptr i8, ptr %cache.1, i64 0
  store ptr %4, ptr %s.base
  %5 = icmp eq ptr %cache.1, null
  br i1 %5, label %no.memory, label %test

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
  store double %r, ptr %primal.result
  br label %rev.end

no.memory:
  call void @enzyme_release(ptr %arena, i1 true)
  call void @abort()
  unreachable

rev.end:
  br label %rev.end.test

rev.end.test:
  store double 0.000000e+00, ptr %product.d
  store double 0.000000e+00, ptr %s.d
  %8 = load double, ptr %s.d
  %9 = fadd reassoc nsz arcp contract double %8, %seed
  store double %9, ptr %s.d
  %10 = icmp sge i64 0, %n
  %11 = sub i64 %n, 1
  %12 = add i64 %11, 1
  %count.r = select i1 %10, i64 0, i64 %12
  store i64 %count.r, ptr %i.r
  br label %rev.test

rev.body:
  %product.adj = load double, ptr %product.d
  store double 0.000000e+00, ptr %product.d
  %iv.r = load i64, ptr %i.r
  %p.r = getelementptr double, ptr %x, i64 %iv.r
  %v.r = load double, ptr %p.r, !alias.scope !4, !noalias !5
  %13 = fmul nsz arcp contract double %product.adj, %v.r
  %14 = load double, ptr %s.d
  %15 = fadd reassoc nsz arcp contract double %14, %13
  store double %15, ptr %s.d
  %16 = load ptr, ptr %s.base
  %17 = getelementptr double, ptr %16, i64 %iv.r
  %s.l = load double, ptr %17, !alias.scope !6, !noalias !7
  %18 = fmul nsz arcp contract double %product.adj, %s.l
  %p.d.r = getelementptr double, ptr %x.d, i64 %iv.r
  %19 = load double, ptr %p.d.r, align 8, !alias.scope !8, !noalias !9
  %20 = fadd reassoc nsz arcp contract double %19, %18
  store double %20, ptr %p.d.r, align 8, !alias.scope !8, !noalias !9
  br label %rev.test

rev.test:
  %s.adj = load double, ptr %s.d
  store double 0.000000e+00, ptr %s.d
  %iv.r.1 = load i64, ptr %i.r
  %21 = icmp eq i64 %iv.r.1, 0
  br i1 %21, label %rev.entry, label %rev.test.body

rev.test.body:
  %22 = load double, ptr %product.d
  %23 = fadd reassoc nsz arcp contract double %22, %s.adj
  store double %23, ptr %product.d
  %24 = sub i64 %iv.r.1, 1
  store i64 %24, ptr %i.r
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
