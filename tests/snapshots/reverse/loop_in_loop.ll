
define double @f(ptr %a, ptr %x, i64 %rows, i64 %columns) {
entry:
  br label %outer

outer:
  %i = phi i64 [ 0, %entry ], [ %i.next, %outer.end ]
  %t = phi double [ 0.0, %entry ], [ %t.next, %outer.end ]
  %row = mul i64 %i, %columns
  br label %inner

inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner ]
  %s = phi double [ 0.0, %outer ], [ %s.next, %inner ]
  %at = add i64 %row, %j
  %pa = getelementptr double, ptr %a, i64 %at
  %px = getelementptr double, ptr %x, i64 %j
  %va = load double, ptr %pa
  %vx = load double, ptr %px
  %m = fmul double %va, %vx
  %s.next = fadd double %s, %m
  %j.next = add nuw nsw i64 %j, 1
  %j.done = icmp eq i64 %j.next, %columns
  br i1 %j.done, label %outer.end, label %inner

outer.end:
  %sum = phi double [ %s.next, %inner ]
  %q = fmul double %sum, %sum
  %t.next = fadd double %t, %q
  %i.next = add nuw nsw i64 %i, 1
  %i.done = icmp eq i64 %i.next, %rows
  br i1 %i.done, label %end, label %outer

end:
  %r = phi double [ %t.next, %outer.end ]
  ret double %r
}

define void @grad.f(ptr %a, ptr %a.d, ptr %x, ptr %x.d, i64 %rows, i64 %columns, double %seed) nounwind {
entry:
  %arena = alloca { ptr, ptr, i64, i64 }
  store { ptr, ptr, i64, i64 } zeroinitializer, ptr %arena
  %sum.base = alloca ptr
  %0 = sub i64 %rows, 1
  %extent = add i64 %0, 1
  %extent.1 = call i64 @llvm.smax.i64(i64 %extent, i64 1)
  %1 = mul i64 %extent.1, 8
  %cache = call ptr @enzyme_allocate(ptr %arena, i64 %1)
  %2 = getelementptr i8, ptr %cache, i64 0
  store ptr %2, ptr %sum.base
  %3 = icmp eq ptr %cache, null
  br i1 %3, label %no.memory, label %outer

outer:
  %i = phi i64 [ 0, %entry ], [ %i.next, %outer.end ]
  %t = phi double [ 0.0, %entry ], [ %t.next, %outer.end ]
  %row = mul i64 %i, %columns
  %4 = sub i64 %columns, 1
  br label %inner

inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner ]
  %s = phi double [ 0.0, %outer ], [ %s.next, %inner ]
  %at = add i64 %row, %j
  %pa = getelementptr double, ptr %a, i64 %at
  %pa.d = getelementptr double, ptr %a.d, i64 %at
  %px = getelementptr double, ptr %x, i64 %j
  %px.d = getelementptr double, ptr %x.d, i64 %j
  %va = load double, ptr %pa, !alias.scope !4, !noalias !5
  %vx = load double, ptr %px, !alias.scope !4, !noalias !5
  %m = fmul double %va, %vx
  %s.next = fadd double %s, %m
  %j.next = add nuw nsw i64 %j, 1
  %j.done = icmp eq i64 %j.next, %columns
  br i1 %j.done, label %outer.end, label %inner

outer.end:
  %sum = phi double [ %s.next, %inner ]
  %5 = load ptr, ptr %sum.base
  %6 = getelementptr double, ptr %5, i64 %i
  store double %sum, ptr %6, !alias.scope !6, !noalias !7
  %q = fmul double %sum, %sum
  %t.next = fadd double %t, %q
  %i.next = add nuw nsw i64 %i, 1
  %i.done = icmp eq i64 %i.next, %rows
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
  %7 = sub i64 %rows, 1
  br label %rev.outer.end

rev.outer.end:
  %t.next.d = phi double [ %seed, %rev.end.outer.end ], [ %t.next.d, %rev.outer.outer.end ]
  %i.r = phi i64 [ %7, %rev.end.outer.end ], [ %23, %rev.outer.outer.end ]
  %8 = load ptr, ptr %sum.base
  %9 = getelementptr double, ptr %8, i64 %i.r
  %sum.l = load double, ptr %9, !alias.scope !6, !noalias !7
  %10 = fmul nsz arcp contract double %t.next.d, %sum.l
  %11 = fmul nsz arcp contract double %t.next.d, %sum.l
  %12 = fadd reassoc nsz arcp contract double %10, %11
  br label %rev.outer.end.inner

rev.outer.end.inner:
  %13 = sub i64 %columns, 1
  br label %rev.inner

rev.inner:
  %s.next.d = phi double [ %12, %rev.outer.end.inner ], [ %s.next.d, %rev.inner.inner ]
  %j.r = phi i64 [ %13, %rev.outer.end.inner ], [ %21, %rev.inner.inner ]
  %px.r = getelementptr double, ptr %x, i64 %j.r
  %vx.r = load double, ptr %px.r, !alias.scope !4, !noalias !5
  %14 = fmul nsz arcp contract double %s.next.d, %vx.r
  %row.r = mul i64 %i.r, %columns
  %at.r = add i64 %row.r, %j.r
  %pa.r = getelementptr double, ptr %a, i64 %at.r
  %va.r = load double, ptr %pa.r, !alias.scope !4, !noalias !5
  %15 = fmul nsz arcp contract double %s.next.d, %va.r
  %px.d.r = getelementptr double, ptr %x.d, i64 %j.r
  %16 = load double, ptr %px.d.r, align 8, !alias.scope !8, !noalias !9
  %17 = fadd reassoc nsz arcp contract double %16, %15
  store double %17, ptr %px.d.r, align 8, !alias.scope !8, !noalias !9
  %pa.d.r = getelementptr double, ptr %a.d, i64 %at.r
  %18 = load double, ptr %pa.d.r, align 8, !alias.scope !8, !noalias !9
  %19 = fadd reassoc nsz arcp contract double %18, %14
  store double %19, ptr %pa.d.r, align 8, !alias.scope !8, !noalias !9
  %20 = icmp eq i64 %j.r, 0
  br i1 %20, label %rev.outer, label %rev.inner.inner

rev.inner.inner:
  %21 = sub i64 %j.r, 1
  br label %rev.inner

rev.outer:
  %22 = icmp eq i64 %i.r, 0
  br i1 %22, label %rev.entry, label %rev.outer.outer.end

rev.outer.outer.end:
  %23 = sub i64 %i.r, 1
  br label %rev.outer.end

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
