
declare double @llvm.minnum.f64(double, double)

declare double @llvm.maximum.f64(double, double)

define double @f(double %x, double %y) {
entry:
  %s = call double @llvm.minnum.f64(double %x, double %y)
  %l = call double @llvm.maximum.f64(double %x, double %y)
  %q = fmul double %l, %l
  %r = fmul double %q, %s
  ret double %r
}

define { double } @fwd.f(double %x, double %x.d, double %y, double %y.d) nounwind "reciprocal-estimates"="none" {
entry:
  %s = call double @llvm.minnum.f64(double %x, double %y)
  %0 = fcmp olt double %x, %y
  %1 = select i1 %0, double %x.d, double 0x0000000000000000
  %2 = fcmp olt double %x, %y
  %3 = select i1 %2, double 0x0000000000000000, double %y.d
  %4 = fadd double %1, %3
  %l = call double @llvm.maximum.f64(double %x, double %y)
  %5 = fcmp olt double %x, %y
  %6 = select i1 %5, double 0x0000000000000000, double %x.d
  %7 = fcmp olt double %x, %y
  %8 = select i1 %7, double %y.d, double 0x0000000000000000
  %9 = fadd double %6, %8
  %q = fmul double %l, %l
  %10 = fadd double %l, %l
  %11 = fmul double %9, %10
  %r = fmul double %q, %s
  %12 = fmul double %11, %s
  %13 = fmul double %4, %q
  %14 = fadd double %12, %13
  %15 = insertvalue { double } undef, double %14, 0
  ret { double } %15
}


!14 = !{}
!0 = distinct !{!0, !"fwd.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
