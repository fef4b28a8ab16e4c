
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

define { double, double } @grad.f(double %x, double %y, double %seed) nounwind "reciprocal-estimates"="none" {
entry:
  %.c = alloca double
  %r.c = alloca double
  %a = call double @atan2(double %x, double %y)
  %0 = call double @tanh(double %a)
  %1 = call double @llvm.fabs.f64(double %0)
  %2 = fcmp olt double %1, 0x3FEFAE147AE147AE
  %3 = select i1 %2, double %0, double %a
  store double %3, ptr %.c
  %r = call double @cbrt(double %0)
  store double %r, ptr %r.c
  br label %rev.entry

rev.entry:
  %r.l = load double, ptr %r.c
  %4 = fcmp oeq double %r.l, 0x0000000000000000
  %5 = fmul nsz arcp contract double %r.l, %r.l
  %6 = fmul nsz arcp contract double %5, 0x4008000000000000
  %7 = fdiv nsz arcp contract double %seed, %6
  %8 = select i1 %4, double 0x0000000000000000, double %7
  %9 = fcmp oeq double %seed, 0x0000000000000000
  %10 = select i1 %9, double 0.000000e+00, double %8
  %.l = load double, ptr %.c
  %11 = call double @enzyme.tanh.slope_of.f64(double %.l)
  %12 = fmul nsz arcp contract double %10, %11
  %13 = call nsz arcp contract double @llvm.fabs.f64(double %y)
  %14 = call nsz arcp contract double @llvm.fabs.f64(double %x)
  %15 = fcmp oge double %13, %14
  %16 = select i1 %15, double %y, double %x
  %17 = select i1 %15, double %x, double %y
  %18 = fdiv nsz arcp contract double %17, %16
  %19 = fmul nsz arcp contract double %18, %18
  %20 = fadd reassoc nsz arcp contract double 0x3FF0000000000000, %19
  %21 = fmul nsz arcp contract double %16, %20
  %22 = call nsz arcp contract double @llvm.fabs.f64(double %x)
  %23 = call nsz arcp contract double @llvm.fabs.f64(double %y)
  %24 = call nsz arcp contract double @llvm.maxnum.f64(double %22, double %23)
  %25 = fcmp oeq double %24, 0x0000000000000000
  %26 = select i1 %15, double 0x3FF0000000000000, double %18
  %27 = fmul nsz arcp contract double %12, %26
  %28 = fdiv nsz arcp contract double %27, %21
  %29 = select i1 %25, double 0x0000000000000000, double %28
  %30 = fcmp oeq double %12, 0x0000000000000000
  %31 = select i1 %30, double 0.000000e+00, double %29
  %32 = call nsz arcp contract double @llvm.fabs.f64(double %y)
  %33 = call nsz arcp contract double @llvm.fabs.f64(double %x)
  %34 = fcmp oge double %32, %33
  %35 = select i1 %34, double %y, double %x
  %36 = select i1 %34, double %x, double %y
  %37 = fdiv nsz arcp contract double %36, %35
  %38 = fmul nsz arcp contract double %37, %37
  %39 = fadd reassoc nsz arcp contract double 0x3FF0000000000000, %38
  %40 = fmul nsz arcp contract double %35, %39
  %41 = call nsz arcp contract double @llvm.fabs.f64(double %x)
  %42 = call nsz arcp contract double @llvm.fabs.f64(double %y)
  %43 = call nsz arcp contract double @llvm.maxnum.f64(double %41, double %42)
  %44 = fcmp oeq double %43, 0x0000000000000000
  %45 = fneg nsz arcp contract double %12
  %46 = select i1 %34, double %37, double 0x3FF0000000000000
  %47 = fmul nsz arcp contract double %45, %46
  %48 = fdiv nsz arcp contract double %47, %40
  %49 = select i1 %44, double 0x0000000000000000, double %48
  %50 = fcmp oeq double %12, 0x0000000000000000
  %51 = select i1 %50, double 0.000000e+00, double %49
  br label %rev.finish

rev.finish:
  %52 = insertvalue { double, double } undef, double %31, 0
  %53 = insertvalue { double, double } %52, double %51, 1
  ret { double, double } %53
}

declare double @enzyme.tanh_packed.f64(double) nounwind willreturn memory(none)

declare double @enzyme.tanh_unpacked.f64(double) nounwind willreturn memory(none)

declare double @enzyme.tanh_slope.f64(double) nounwind willreturn memory(none)

declare double @llvm.fabs.f64(double)

declare double @llvm.maxnum.f64(double, double)

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
!0 = distinct !{!0, !"grad.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
