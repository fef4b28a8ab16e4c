
define double @f(double %x) {
entry:
  %bits = bitcast double %x to i64
  %masked = and i64 %bits, 9223372036854775807
  %abs = bitcast i64 %masked to double
  %r = fmul double %abs, %x
  ret double %r
}

define { double } @grad.f(double %x, double %seed) nounwind "reciprocal-estimates"="none" {
entry:
  %abs = call double @llvm.fabs.f64(double %x)
  %r = fmul double %abs, %x
  br label %rev.entry

rev.entry:
  %0 = fmul nsz arcp contract double %seed, %x
  %abs.r = call double @llvm.fabs.f64(double %x)
  %1 = fmul nsz arcp contract double %seed, %abs.r
  %2 = fcmp olt double %x, 0x0000000000000000
  %3 = fneg nsz arcp contract double %0
  %4 = select i1 %2, double %3, double %0
  %5 = fadd reassoc nsz arcp contract double %1, %4
  br label %rev.finish

rev.finish:
  %6 = insertvalue { double } undef, double %5, 0
  ret { double } %6
}

declare double @llvm.fabs.f64(double)


!14 = !{}
!0 = distinct !{!0, !"grad.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
