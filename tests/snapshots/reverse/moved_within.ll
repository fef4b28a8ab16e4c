
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)

define double @f(ptr %x) {
entry:
  %p = getelementptr double, ptr %x, i64 1
  call void @llvm.memmove.p0.p0.i64(ptr %p, ptr %x, i64 16, i1 false)
  %a = load double, ptr %x
  %b = load double, ptr %p
  %r = fmul double %a, %b
  ret double %r
}

define void @grad.f(ptr %x, ptr %x.d, double %seed) nounwind "reciprocal-estimates"="none" {
entry:
  %p = getelementptr double, ptr %x, i64 1
  %p.d = getelementptr double, ptr %x.d, i64 1
  call void @llvm.memmove.p0.p0.i64(ptr %p, ptr %x, i64 16, i1 false)
  %a = load double, ptr %x, !alias.scope !4, !noalias !5
  %b = load double, ptr %p, !alias.scope !4, !noalias !5
  %r = fmul double %a, %b
  br label %rev.entry

rev.entry:
  %p.r = getelementptr double, ptr %x, i64 1
  %b.r = load double, ptr %p.r, !alias.scope !4, !noalias !5
  %0 = fmul nsz arcp contract double %seed, %b.r
  %a.r = load double, ptr %x, !alias.scope !4, !noalias !5
  %1 = fmul nsz arcp contract double %seed, %a.r
  %p.d.r = getelementptr double, ptr %x.d, i64 1
  %2 = load double, ptr %p.d.r, align 8, !alias.scope !6, !noalias !7
  %3 = fadd reassoc nsz arcp contract double %2, %1
  store double %3, ptr %p.d.r, align 8, !alias.scope !6, !noalias !7
  %4 = load double, ptr %x.d, align 8, !alias.scope !6, !noalias !7
  %5 = fadd reassoc nsz arcp contract double %4, %0
  store double %5, ptr %x.d, align 8, !alias.scope !6, !noalias !7
  %6 = udiv i64 16, 8
  call void @enzyme.move_adjoint.double(ptr %p.d.r, ptr %x.d, i64 %6)
  br label %rev.finish

rev.finish:
  ret void
}

define internal void @enzyme.move_adjoint.double(ptr %target, ptr %source, i64 %count) {
entry:
  %empty = icmp eq i64 %count, 0
  br i1 %empty, label %done, label %choose

choose:
  %down = icmp ult ptr %target, %source
  %last = sub i64 %count, 1
  br i1 %down, label %down.loop, label %up.loop

up.loop:
  %i = phi i64 [ 0, %choose ], [ %i.next, %up.loop ]
  %t = getelementptr double, ptr %target, i64 %i
  %s = getelementptr double, ptr %source, i64 %i
  %d = load double, ptr %t
  store double zeroinitializer, ptr %t
  %old = load double, ptr %s
  %new = fadd double %old, %d
  store double %new, ptr %s
  %i.next = add nuw i64 %i, 1
  %more = icmp ult i64 %i.next, %count
  br i1 %more, label %up.loop, label %done

down.loop:
  %j = phi i64 [ %last, %choose ], [ %j.next, %down.loop ]
  %jt = getelementptr double, ptr %target, i64 %j
  %js = getelementptr double, ptr %source, i64 %j
  %jd = load double, ptr %jt
  store double zeroinitializer, ptr %jt
  %jold = load double, ptr %js
  %jnew = fadd double %jold, %jd
  store double %jnew, ptr %js
  %j.next = sub i64 %j, 1
  %jmore = icmp ne i64 %j, 0
  br i1 %jmore, label %down.loop, label %done

done:
  ret void
}


!14 = !{}
!0 = distinct !{!0, !"grad.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
!4 = !{!2}
!5 = !{!1, !3}
!6 = !{!3}
!7 = !{!1, !2}
