
declare double @llvm.pow.f64(double, double)

define double @f(double %x, double %y) {
entry:
  %p = call double @llvm.pow.f64(double %x, double %y)
  %r = call double @llvm.pow.f64(double %p, double 2.0)
  ret double %r
}

define { double } @fwd.f(double %x, double %x.d, double %y, double %y.d) nounwind "reciprocal-estimates"="none" {
entry:
  %p = call double @llvm.pow.f64(double %x, double %y)
  %0 = call double @enzyme.pow_slope.f64(double %x, double %y, double %p)
  %1 = fmul double %x.d, %0
  %2 = fcmp oeq double %x.d, 0x0000000000000000
  %3 = select i1 %2, double 0.000000e+00, double %1
  %4 = fcmp oeq double %x, 0x0000000000000000
  %5 = select i1 %4, double 0x3FF0000000000000, double %x
  %6 = call double @llvm.log.f64(double %5)
  %7 = fmul double %p, %6
  %8 = fmul double %y.d, %7
  %9 = select i1 %4, double 0x0000000000000000, double %8
  %10 = fcmp oeq double %y.d, 0x0000000000000000
  %11 = select i1 %10, double 0.000000e+00, double %9
  %12 = fadd double %3, %11
  %r = call double @llvm.pow.f64(double %p, double 2.0)
  %13 = fmul double %p, 0x4000000000000000
  %14 = fmul double %12, %13
  %15 = fmul double %p, 0x4000000000000000
  %16 = call double @enzyme.either_zero.f64(double %12, double %15, double %14)
  %17 = insertvalue { double } undef, double %16, 0
  ret { double } %17
}

define internal double @enzyme.pow_slope.f64(double %x, double %p, double %y) nounwind willreturn memory(none) {
entry:
  %0 = call double @llvm.fabs.f64(double %y)
  %1 = fcmp ogt double %0, 0x05CD0B15A491EB84
  %2 = fcmp olt double %0, 0x7A11A0FC668AAC70
  %3 = and i1 %1, %2
  %4 = fcmp une double %x, 0x0000000000000000
  %5 = and i1 %3, %4
  br i1 %5, label %cheap, label %edge

cheap:
  %6 = fmul double %p, %y
  %7 = fdiv double %6, %x
  ret double %7

edge:
  %8 = fcmp oeq double %p, 0x0000000000000000
  br i1 %8, label %none, label %power

none:
  ret double 0x0000000000000000

power:
  %9 = call double @enzyme.pow_slope.far.f64(double %x, double %p, double %y)
  ret double %9
}

declare double @llvm.fabs.f64(double)

define internal double @enzyme.pow_slope.far.f64(double %x, double %p, double %y) cold noinline nounwind willreturn memory(none) {
entry:
  %0 = fcmp uno double %y, %y
  %1 = fsub double %p, 0x3FF0000000000000
  %2 = call double @llvm.pow.f64(double %x, double %1)
  %3 = fmul double %p, %2
  %4 = select i1 %0, double %y, double %3
  ret double %4
}

declare double @llvm.log.f64(double)

define internal double @enzyme.either_zero.f64(double %0, double %1, double %2) nounwind willreturn memory(none) alwaysinline {
entry:
  %3 = fcmp oeq double %1, 0x0000000000000000
  %4 = select i1 %3, double 0x0000000000000000, double %2
  %5 = fcmp uno double %2, %2
  %6 = select i1 %5, double %4, double %2
  %7 = fcmp oeq double %0, 0x0000000000000000
  %8 = select i1 %7, double 0.000000e+00, double %6
  ret double %8
}


!14 = !{}
!0 = distinct !{!0, !"fwd.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
