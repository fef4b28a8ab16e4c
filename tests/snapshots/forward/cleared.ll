
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

define double @f(ptr %x, double %y) {
entry:
  %a = load double, ptr %x
  call void @llvm.memset.p0.i64(ptr %x, i8 0, i64 16, i1 false)
  %b = load double, ptr %x
  %c = fadd double %b, %y
  store double %c, ptr %x
  %r = fmul double %a, %y
  ret double %r
}

define { double } @fwd.f(ptr %x, ptr %x.d, double %y, double %y.d) nounwind "reciprocal-estimates"="none" {
entry:
  %a = load double, ptr %x, !alias.scope !4, !noalias !5
  %a.t = load double, ptr %x.d, align 8, !alias.scope !6, !noalias !7
  call void @llvm.memset.p0.i64(ptr %x, i8 0, i64 16, i1 false)
  call void @llvm.memset.p0.i64(ptr %x.d, i8 0, i64 16, i1 false)
  %b = load double, ptr %x, !alias.scope !4, !noalias !5
  %b.t = load double, ptr %x.d, align 8, !alias.scope !6, !noalias !7
  %c = fadd double %b, %y
  %0 = fadd double %b.t, %y.d
  store double %c, ptr %x, !alias.scope !4, !noalias !5
  store double %0, ptr %x.d, align 8, !alias.scope !6, !noalias !7
  %r = fmul double %a, %y
  %1 = fmul double %a.t, %y
  %2 = fmul double %y.d, %a
  %3 = fadd double %1, %2
  %4 = insertvalue { double } undef, double %3, 0
  ret { double } %4
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
