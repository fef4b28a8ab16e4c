
define double @f(double %x, ptr %counts) {
entry:
  %old = atomicrmw add ptr %counts, i64 2 seq_cst, align 8
  %new = load i64, ptr %counts
  %k = sitofp i64 %new to double
  %m = fmul double %x, %k
  %r = fmul double %m, %x
  ret double %r
}

define { double } @fwd.f(double %x, double %x.d, ptr %counts) nounwind "reciprocal-estimates"="none" {
entry:
  %old = atomicrmw add ptr %counts, i64 2 seq_cst, align 8
  %new = load i64, ptr %counts, !alias.scope !4, !noalias !5
  %k = sitofp i64 %new to double
  %m = fmul double %x, %k
  %0 = fmul double %x.d, %k
  %r = fmul double %m, %x
  %1 = fmul double %0, %x
  %2 = fmul double %x.d, %m
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
