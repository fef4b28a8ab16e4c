
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

define void @grad.f(ptr %x, ptr %x.d, i64 %n, double %seed) nounwind "reciprocal-estimates"="none" {
entry:
  %cache = alloca ptr
  store ptr null, ptr %cache
  %capacity = alloca i64
  store i64 0, ptr %capacity
  %position = alloca i64
  store i64 -1, ptr %position
  %arena = alloca { ptr, ptr, i64, i64, i64, i64, i64 }
  store { ptr, ptr, i64, i64, i64, i64, i64 } zeroinitializer, ptr %arena
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
  br label %rev.end

no.memory:
  call void @enzyme_release(ptr %arena, i1 true)
  call void @abort()
  unreachable

rev.end:
  br label %rev.end.outer.end

rev.end.outer.end:
  %15 = icmp sgt i64 2, %n
  %16 = sub i64 %n, 2
  %17 = add i64 %16, 1
  %count.r = select i1 %15, i64 0, i64 %17
  br label %rev.outer.end

rev.outer.end:
  %t.next.d = phi double [ %seed, %rev.end.outer.end ], [ %20, %rev.outer.outer.end ]
  %outer.iv.r = phi i64 [ %count.r, %rev.end.outer.end ], [ %33, %rev.outer.outer.end ]
  br label %rev.outer.end.inner

rev.outer.end.inner:
  %18 = add i64 1, %outer.iv.r
  %19 = sub i64 %18, 1
  br label %rev.inner

rev.inner:
  %s.next.d = phi double [ %t.next.d, %rev.outer.end.inner ], [ %20, %rev.inner.inner ]
  %j.r = phi i64 [ %19, %rev.outer.end.inner ], [ %31, %rev.inner.inner ]
  %p.r = getelementptr double, ptr %x, i64 %j.r
  %v.r = load double, ptr %p.r, !alias.scope !4, !noalias !5
  %20 = fmul nsz arcp contract double %s.next.d, %v.r
  %21 = load i64, ptr %position
  %22 = mul i64 %21, 8
  %23 = load ptr, ptr %cache
  %24 = getelementptr i8, ptr %23, i64 %22
  %s.l = load double, ptr %24, !alias.scope !6, !noalias !7
  %25 = fmul nsz arcp contract double %s.next.d, %s.l
  %p.d.r = getelementptr double, ptr %x.d, i64 %j.r
  %26 = load double, ptr %p.d.r, align 8, !alias.scope !8, !noalias !9
  %27 = fadd reassoc nsz arcp contract double %26, %25
  store double %27, ptr %p.d.r, align 8, !alias.scope !8, !noalias !9
  %28 = load i64, ptr %position
  %29 = sub i64 %28, 1
  store i64 %29, ptr %position
  %30 = icmp eq i64 %j.r, 0
  br i1 %30, label %rev.inner.outer, label %rev.inner.inner

rev.inner.inner:
  %31 = sub i64 %j.r, 1
  br label %rev.inner

rev.inner.outer:
  br label %rev.outer

rev.outer:
  %32 = icmp eq i64 %outer.iv.r, 0
  br i1 %32, label %rev.entry, label %rev.outer.outer.end

rev.outer.outer.end:
  %33 = sub i64 %outer.iv.r, 1
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
