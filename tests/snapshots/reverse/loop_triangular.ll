
define double @f(ptr %x, i64 %n) {
entry:
  br label %outer

outer:
  %i = phi i64 [ 1, %entry ], [ %i.next, %outer.end ]
  %t = phi double [ 1.0, %entry ], [ %t.next, %outer.end ]
  br label %inner

inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner ]
  %s = phi double [ %t, %outer ], [ %s.next, %inner ]
  %p = getelementptr double, ptr %x, i64 %j
  %v = load double, ptr %p
  %s.next = fmul double %s, %v
  %j.next = add nuw nsw i64 %j, 1
  %j.done = icmp eq i64 %j.next, %i
  br i1 %j.done, label %outer.end, label %inner

outer.end:
  %last = phi double [ %s.next, %inner ]
  %t.next = fadd double %last, 1.0
  %i.next = add nuw nsw i64 %i, 1
  %i.done = icmp sgt i64 %i.next, %n
  br i1 %i.done, label %end, label %outer

end:
  %r = phi double [ %t.next, %outer.end ]
  ret double %r
}

define void @grad.f(ptr %x, ptr %x.d, i64 %n, double %seed) nounwind {
entry:
  %cache = alloca ptr
  store ptr null, ptr %cache
  %capacity = alloca i64
  store i64 0, ptr %capacity
  %position = alloca i64
  store i64 -1, ptr %position
  %arena = alloca { ptr, ptr, i64, i64 }
  store { ptr, ptr, i64, i64 } zeroinitializer, ptr %arena
  %outer.iv.r = alloca i64
  %j.r = alloca i64
  %primal.result = alloca double
  %t.next.d = alloca double
  %s.next.d = alloca double
  %t.d = alloca double
  %0 = icmp sgt i64 2, %n
  %1 = sub i64 %n, 2
  %2 = add i64 %1, 1
  %count = select i1 %0, i64 0, i64 %2
  br label %outer

outer:
  %outer.iv = phi i64 [ 0, %entry ], [ %outer.iv.next, %outer.end ]
  %i = phi i64 [ 1, %entry ], [ %i.next, %outer.end ]
  %t = phi double [ 1.0, %entry ], [ %t.next, %outer.end ]
  %3 = sub i64 %i, 1
  br label %inner

inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner.body ]
  %s = phi double [ %t, %outer ], [ %s.next, %inner.body ]
  %4 = load i64, ptr %position
  %position.1 = add i64 %4, 1
  store i64 %position.1, ptr %position
  %capacity.1 = load i64, ptr %capacity
  %5 = icmp ult i64 %position.1, %capacity.1
  br i1 %5, label %inner.body, label %inner.grow

inner.grow:
  %6 = load ptr, ptr %cache
  %7 = call { ptr, i64 } @enzyme_grow(ptr %arena, ptr %6, i64 %capacity.1, i64 8)
  %cache.1 = extractvalue { ptr, i64 } %7, 0
  %8 = icmp eq ptr %cache.1, null
  %9 = extractvalue { ptr, i64 } %7, 1
  store i64 %9, ptr %capacity
  %10 = select i1 %8, ptr %6, ptr %cache.1
  store ptr %10, ptr %cache
  br i1 %8, label %no.memory, label %inner.body

inner.body:
  %11 = load i64, ptr %position
  %12 = mul i64 %11, 8
  %13 = load ptr, ptr %cache
  %14 = getelementptr i8, ptr %13, i64 %12
  store double %s, ptr %14, !alias.scope !6, !noalias !7
  %p = getelementptr double, ptr %x, i64 %j
  %p.d = getelementptr double, ptr %x.d, i64 %j
  %v = load double, ptr %p, !alias.scope !4, !noalias !5
  %s.next = fmul double %s, %v
  %j.next = add nuw nsw i64 %j, 1
  %j.done = icmp eq i64 %j.next, %i
  br i1 %j.done, label %outer.end, label %inner

outer.end:
  %last = phi double [ %s.next, %inner.body ]
  %t.next = fadd double %last, 1.0
  %i.next = add nuw nsw i64 %i, 1
  %i.done = icmp sgt i64 %i.next, %n
  %outer.iv.next = add nuw nsw i64 %outer.iv, 1
  br i1 %i.done, label %end, label %outer

end:
  %r = phi double [ %t.next, %outer.end ]
  store double %r, ptr %primal.result
  br label %rev.end

no.memory:
  call void @enzyme_release(ptr %arena, i1 true)
  call void @abort()
  unreachable

rev.end:
  br label %rev.end.outer.end

rev.end.outer.end:
  store double 0.000000e+00, ptr %t.d
  store double 0.000000e+00, ptr %s.next.d
  store double 0.000000e+00, ptr %t.next.d
  %15 = load double, ptr %t.next.d
  %16 = fadd reassoc nsz arcp contract double %15, %seed
  store double %16, ptr %t.next.d
  %17 = icmp sgt i64 2, %n
  %18 = sub i64 %n, 2
  %19 = add i64 %18, 1
  %count.r = select i1 %17, i64 0, i64 %19
  store i64 %count.r, ptr %outer.iv.r
  br label %rev.outer.end

rev.outer.end:
  %t.next.adj = load double, ptr %t.next.d
  store double 0.000000e+00, ptr %t.next.d
  br label %rev.outer.end.inner

rev.outer.end.inner:
  %20 = load double, ptr %s.next.d
  %21 = fadd reassoc nsz arcp contract double %20, %t.next.adj
  store double %21, ptr %s.next.d
  %iv.r = load i64, ptr %outer.iv.r
  %22 = add i64 1, %iv.r
  %23 = sub i64 %22, 1
  store i64 %23, ptr %j.r
  br label %rev.inner

rev.inner:
  %s.next.adj = load double, ptr %s.next.d
  store double 0.000000e+00, ptr %s.next.d
  %iv.r.1 = load i64, ptr %j.r
  %p.r = getelementptr double, ptr %x, i64 %iv.r.1
  %v.r = load double, ptr %p.r, !alias.scope !4, !noalias !5
  %24 = fmul nsz arcp contract double %s.next.adj, %v.r
  %25 = load i64, ptr %position
  %26 = mul i64 %25, 8
  %27 = load ptr, ptr %cache
  %28 = getelementptr i8, ptr %27, i64 %26
  %s.l = load double, ptr %28, !alias.scope !6, !noalias !7
  %29 = fmul nsz arcp contract double %s.next.adj, %s.l
  %p.d.r = getelementptr double, ptr %x.d, i64 %iv.r.1
  %30 = load double, ptr %p.d.r, align 8, !alias.scope !8, !noalias !9
  %31 = fadd reassoc nsz arcp contract double %30, %29
  store double %31, ptr %p.d.r, align 8, !alias.scope !8, !noalias !9
  %32 = load i64, ptr %position
  %33 = sub i64 %32, 1
  store i64 %33, ptr %position
  %34 = icmp eq i64 %iv.r.1, 0
  br i1 %34, label %rev.inner.outer, label %rev.inner.inner

rev.inner.inner:
  %35 = load double, ptr %s.next.d
  %36 = fadd reassoc nsz arcp contract double %35, %24
  store double %36, ptr %s.next.d
  %37 = sub i64 %iv.r.1, 1
  store i64 %37, ptr %j.r
  br label %rev.inner

rev.inner.outer:
  %38 = load double, ptr %t.d
  %39 = fadd reassoc nsz arcp contract double %38, %24
  store double %39, ptr %t.d
  br label %rev.outer

rev.outer:
  %t.adj = load double, ptr %t.d
  store double 0.000000e+00, ptr %t.d
  %iv.r.2 = load i64, ptr %outer.iv.r
  %40 = icmp eq i64 %iv.r.2, 0
  br i1 %40, label %rev.entry, label %rev.outer.outer.end

rev.outer.outer.end:
  %41 = load double, ptr %t.next.d
  %42 = fadd reassoc nsz arcp contract double %41, %t.adj
  store double %42, ptr %t.next.d
  %43 = sub i64 %iv.r.2, 1
  store i64 %43, ptr %outer.iv.r
  br label %rev.outer.end

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
