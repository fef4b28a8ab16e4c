
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

define { double } @fwd.f(ptr %x, ptr %x.d) nounwind "reciprocal-estimates"="none" {
entry:
  %p = getelementptr double, ptr %x, i64 1
  %p.d = getelementptr double, ptr %x.d, i64 1
  call void @llvm.memmove.p0.p0.i64(ptr %p, ptr %x, i64 16, i1 false)
  call void @llvm.memmove.p0.p0.i64(ptr %p.d, ptr %x.d, i64 16, i1 false)
  %a = load double, ptr %x, !alias.scope !4, !noalias !5
  %a.t = load double, ptr %x.d, align 8, !alias.scope !6, !noalias !7
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
