
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define double @f(ptr %x, ptr %y) {
entry:
  call void @llvm.memcpy.p0.p0.i64(ptr %y, ptr %x, i64 16, i1 false)
  %p = getelementptr double, ptr %y, i64 1
  %a = load double, ptr %y
  %b = load double, ptr %p
  %r = fmul double %a, %b
  ret double %r
}

define { double } @fwd.f(ptr %x, ptr %x.d, ptr %y, ptr %y.d) nounwind "reciprocal-estimates"="none" {
entry:
  call void @llvm.memcpy.p0.p0.i64(ptr %y, ptr %x, i64 16, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %y.d, ptr %x.d, i64 16, i1 false)
  %p = getelementptr double, ptr %y, i64 1
  %p.d = getelementptr double, ptr %y.d, i64 1
  %a = load double, ptr %y, !alias.scope !4, !noalias !5
  %a.t = load double, ptr %y.d, align 8, !alias.scope !6, !noalias !7
  %b = load double, ptr %p, !alias.scope !4, !noalias !5
  %b.t = load double, ptr %p.d, align 8, !alias.scope !6, !noalias !7
  %r = fmul double %a, %b
  %0 = fmul double %a.t, %b
  %1 = fmul double %b.t, %a
  %2 = fadd double %0, %1
  %3 = insertvalue { double } undef, double %2, 0
  ret { double } %3
}


!14 = !{}
!0 = distinct !{!0, !"fwd.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
!4 = !{!2}
!5 = !{!1, !3}
!6 = !{!3}
!7 = !{!1, !2}
