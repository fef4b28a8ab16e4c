
declare double @llvm.sin.f64(double)

declare double @llvm.exp.f64(double)

define double @f(double %x) {
entry:
  %e = call double @llvm.exp.f64(double %x)
  %r = call double @llvm.sin.f64(double %e)
  ret double %r
}

define { double } @grad.f(double %x, double %seed) nounwind "reciprocal-estimates"="none" {
entry:
  %e.c = alloca double
  %e = call double @llvm.exp.f64(double %x)
  store double %e, ptr %e.c
  %r = call double @llvm.sin.f64(double %e)
  br label %rev.entry

rev.entry:
  %e.l = load double, ptr %e.c
  %0 = call nsz arcp contract double @llvm.cos.f64(double %e.l)
  %1 = fmul nsz arcp contract double %seed, %0
  %2 = fmul nsz arcp contract double %1, %e.l
  br label %rev.finish

rev.finish:
  %3 = insertvalue { double } undef, double %2, 0
  ret { double } %3
}

declare double @llvm.cos.f64(double)


!14 = !{}
!0 = distinct !{!0, !"grad.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
