
declare double @llvm.log.f64(double)

declare double @llvm.sqrt.f64(double)

define double @f(double %x) {
entry:
  %l = call double @llvm.log.f64(double %x)
  %r = call double @llvm.sqrt.f64(double %l)
  ret double %r
}

define { double } @grad.f(double %x, double %seed) nounwind "reciprocal-estimates"="none" {
entry:
  %r.c = alloca double
  %l.c = alloca double
  %l = call double @llvm.log.f64(double %x)
  store double %l, ptr %l.c
  %r = call double @llvm.sqrt.f64(double %l)
  store double %r, ptr %r.c
  br label %rev.entry

rev.entry:
  %l.l = load double, ptr %l.c
  %0 = fcmp ueq double %l.l, 0x0000000000000000
  %1 = fmul nsz arcp contract double %seed, 0x3FE0000000000000
  %r.l = load double, ptr %r.c
  %2 = fdiv nsz arcp contract double %1, %r.l
  %3 = select i1 %0, double 0x0000000000000000, double %2
  %4 = fcmp oeq double %seed, 0x0000000000000000
  %5 = select i1 %4, double 0.000000e+00, double %3
  %6 = fdiv nsz arcp contract double %5, %x
  br label %rev.finish

rev.finish:
  %7 = insertvalue { double } undef, double %6, 0
  ret { double } %7
}


!14 = !{}
!0 = distinct !{!0, !"grad.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
