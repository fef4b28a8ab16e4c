
declare double @llvm.pow.f64(double, double)

define double @f(double %x, double %y) {
entry:
  %p = call double @llvm.pow.f64(double %x, double %y)
  %r = call double @llvm.pow.f64(double %p, double 2.0)
  ret double %r
}

define { double, double } @grad.f(double %x, double %y, double %seed) nounwind "reciprocal-estimates"="none" {
entry:
  %p.c = alloca double
  %p = call double @llvm.pow.f64(double %x, double %y)
  store double %p, ptr %p.c
  %r = call double @llvm.pow.f64(double %p, double 2.0)
  br label %rev.entry

rev.entry:
  %p.l = load double, ptr %p.c
  %0 = fmul nsz arcp contract double %p.l, 0x4000000000000000
  %1 = fmul nsz arcp contract double %seed, %0
  %2 = fcmp oeq double %seed, 0x0000000000000000
  %3 = select i1 %2, double 0.000000e+00, double %1
  %4 = call double @enzyme.pow_slope.f64(double %x, double %y, double %p.l)
  %5 = fmul nsz arcp contract double %3, %4
  %6 = fcmp oeq double %3, 0x0000000000000000
  %7 = select i1 %6, double 0.000000e+00, double %5
  %8 = fcmp oeq double %x, 0x0000000000000000
  %9 = select i1 %8, double 0x3FF0000000000000, double %x
  %10 = call nsz arcp contract double @llvm.log.f64(double %9)
  %11 = fmul nsz arcp contract double %p.l, %10
  %12 = fmul nsz arcp contract double %3, %11
  %13 = select i1 %8, double 0x0000000000000000, double %12
  %14 = fcmp oeq double %3, 0x0000000000000000
  %15 = select i1 %14, double 0.000000e+00, double %13
  br label %rev.finish

rev.finish:
  %16 = insertvalue { double, double } undef, double %7, 0
  %17 = insertvalue { double, double } %16, double %15, 1
  ret { double, double } %17
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


!14 = !{}
!0 = distinct !{!0, !"grad.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
