
declare double @atan2(double, double)

declare double @tanh(double)

declare double @cbrt(double)

define double @f(double %x, double %y) {
entry:
  %a = call double @atan2(double %x, double %y)
  %t = call double @tanh(double %a)
  %r = call double @cbrt(double %t)
  ret double %r
}

define { double } @fwd.f(double %x, double %x.d, double %y, double %y.d) nounwind "reciprocal-estimates"="none" {
entry:
  %a = call double @atan2(double %x, double %y)
  %0 = call double @llvm.fabs.f64(double %y)
  %1 = call double @llvm.fabs.f64(double %x)
  %2 = fcmp oge double %0, %1
  %3 = select i1 %2, double %y, double %x
  %4 = select i1 %2, double %x, double %y
  %5 = fdiv double %4, %3
  %6 = fmul double %5, %5
  %7 = fadd double 0x3FF0000000000000, %6
  %8 = fmul double %3, %7
  %9 = call double @llvm.fabs.f64(double %x)
  %10 = call double @llvm.fabs.f64(double %y)
  %11 = call double @llvm.maxnum.f64(double %9, double %10)
  %12 = fcmp oeq double %11, 0x0000000000000000
  %13 = select i1 %2, double 0x3FF0000000000000, double %5
  %14 = fmul double %x.d, %13
  %15 = fdiv double %14, %8
  %16 = select i1 %12, double 0x0000000000000000, double %15
  %17 = fcmp oeq double %x.d, 0x0000000000000000
  %18 = select i1 %17, double 0.000000e+00, double %16
  %19 = call double @llvm.fabs.f64(double %y)
  %20 = call double @llvm.fabs.f64(double %x)
  %21 = fcmp oge double %19, %20
  %22 = select i1 %21, double %y, double %x
  %23 = select i1 %21, double %x, double %y
  %24 = fdiv double %23, %22
  %25 = fmul double %24, %24
  %26 = fadd double 0x3FF0000000000000, %25
  %27 = fmul double %22, %26
  %28 = call double @llvm.fabs.f64(double %x)
  %29 = call double @llvm.fabs.f64(double %y)
  %30 = call double @llvm.maxnum.f64(double %28, double %29)
  %31 = fcmp oeq double %30, 0x0000000000000000
  %32 = fneg double %y.d
  %33 = select i1 %21, double %24, double 0x3FF0000000000000
  %34 = fmul double %32, %33
  %35 = fdiv double %34, %27
  %36 = select i1 %31, double 0x0000000000000000, double %35
  %37 = fcmp oeq double %y.d, 0x0000000000000000
  %38 = select i1 %37, double 0.000000e+00, double %36
  %39 = fadd double %18, %38
  %40 = call double @tanh(double %a)
  %41 = call double @llvm.fabs.f64(double %40)
  %42 = fcmp olt double %41, 0x3FEFAE147AE147AE
  %43 = select i1 %42, double %40, double %a
  %44 = call double @enzyme.tanh.slope_of.f64(double %43)
  %45 = fmul double %39, %44
  %r = call double @cbrt(double %40)
  %46 = fcmp oeq double %r, 0x0000000000000000
  %47 = fmul double %r, %r
  %48 = fmul double %47, 0x4008000000000000
  %49 = fdiv double %45, %48
  %50 = select i1 %46, double 0x0000000000000000, double %49
  %51 = fcmp oeq double %45, 0x0000000000000000
  %52 = select i1 %51, double 0.000000e+00, double %50
  %53 = insertvalue { double } undef, double %52, 0
  ret { double } %53
}

declare double @enzyme.tanh_packed.f64(double) nounwind willreturn memory(none)

declare double @enzyme.tanh_unpacked.f64(double) nounwind willreturn memory(none)

declare double @llvm.fabs.f64(double)

declare double @llvm.maxnum.f64(double, double)

declare double @enzyme.tanh_slope.f64(double) nounwind willreturn memory(none)

define internal double @enzyme.tanh.slope_of.f64(double %e) nounwind willreturn memory(none) {
entry:
  %0 = call double @llvm.fabs.f64(double %e)
  %1 = fcmp olt double %0, 0x3FEFAE147AE147AE
  br i1 %1, label %near, label %far

near:
  %2 = fsub double 0x3FF0000000000000, %e
  %3 = fadd double 0x3FF0000000000000, %e
  %4 = fmul double %2, %3
  ret double %4

far:
  %5 = call double @enzyme.tanh.far_slope.f64(double %e)
  ret double %5
}

define internal double @enzyme.tanh.far_slope.f64(double %e) cold noinline nounwind willreturn memory(none) {
entry:
  %0 = call double @llvm.fabs.f64(double %e)
  %1 = fmul double %0, 0xC000000000000000
  %2 = call double @llvm.exp.f64(double %1)
  %3 = fmul double %2, 0x4010000000000000
  %4 = fadd double 0x3FF0000000000000, %2
  %5 = fadd double 0x3FF0000000000000, %2
  %6 = fmul double %4, %5
  %7 = fdiv double %3, %6
  ret double %7
}

declare double @llvm.exp.f64(double)


!14 = !{}
!0 = distinct !{!0, !"fwd.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
