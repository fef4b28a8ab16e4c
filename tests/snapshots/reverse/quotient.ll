
define double @f(double %x, double %y) {
entry:
  %a = fdiv double %x, %y
  %r = fdiv double %a, %x
  ret double %r
}

define { double, double } @grad.f(double %x, double %y, double %seed) nounwind "reciprocal-estimates"="none" {
entry:
  %a = fdiv double %x, %y
  %r = fdiv double %a, %x
  br label %rev.entry

rev.entry:
  %0 = fdiv nsz arcp contract double %seed, %x
  %1 = fcmp oeq double %seed, 0x0000000000000000
  %2 = select i1 %1, double 0.000000e+00, double %0
  %3 = fdiv nsz arcp contract double %seed, %x
  %4 = fneg nsz arcp contract double %3
  %a.r = fdiv double %x, %y
  %r.r = fdiv double %a.r, %x
  %5 = fmul nsz arcp contract double %4, %r.r
  %6 = call nsz arcp contract double @llvm.fabs.f64(double %seed)
  %7 = fcmp olt double %6, 0x0000000000000001
  %8 = select i1 %7, double 0.000000e+00, double %5
  %9 = fdiv nsz arcp contract double %2, %y
  %10 = fcmp oeq double %2, 0x0000000000000000
  %11 = select i1 %10, double 0.000000e+00, double %9
  %12 = fadd reassoc nsz arcp contract double %8, %11
  %13 = fdiv nsz arcp contract double %2, %y
  %14 = fneg nsz arcp contract double %13
  %15 = fmul nsz arcp contract double %14, %a.r
  %16 = call nsz arcp contract double @llvm.fabs.f64(double %2)
  %17 = fcmp olt double %16, 0x0000000000000001
  %18 = select i1 %17, double 0.000000e+00, double %15
  br label %rev.finish

rev.finish:
  %19 = insertvalue { double, double } undef, double %12, 0
  %20 = insertvalue { double, double } %19, double %18, 1
  ret { double, double } %20
}

declare double @llvm.fabs.f64(double)


!14 = !{}
!0 = distinct !{!0, !"grad.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
