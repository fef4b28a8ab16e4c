
define double @f(double %x, ptr %counts) {
entry:
  %old = atomicrmw add ptr %counts, i64 2 seq_cst, align 8
  %new = load i64, ptr %counts
  %k = sitofp i64 %new to double
  %m = fmul double %x, %k
  %r = fmul double %m, %x
  ret double %r
}

define { double } @grad.f(double %x, ptr %counts, double %seed) nounwind "reciprocal-estimates"="none" {
entry:
  %old = atomicrmw add ptr %counts, i64 2 seq_cst, align 8
  %new = load i64, ptr %counts, !alias.scope !4, !noalias !5
  %k = sitofp i64 %new to double
  %m = fmul double %x, %k
  %r = fmul double %m, %x
  br label %rev.entry

rev.entry:
  %0 = fmul nsz arcp contract double %seed, %x
  %new.r = load i64, ptr %counts, !alias.scope !4, !noalias !5
  %k.r = sitofp i64 %new.r to double
  %m.r = fmul double %x, %k.r
  %1 = fmul nsz arcp contract double %seed, %m.r
  %2 = fmul nsz arcp contract double %0, %k.r
  %3 = fadd reassoc nsz arcp contract double %1, %2
  br label %rev.finish

rev.finish:
  %4 = insertvalue { double } undef, double %3, 0
  ret { double } %4
}


!14 = !{}
!0 = distinct !{!0, !"grad.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
!4 = !{!2}
!5 = !{!1, !3}
