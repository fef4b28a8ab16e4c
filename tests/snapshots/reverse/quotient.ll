
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
  %6 = fcmp oeq double %seed, 0x0000000000000000
  %7 = select i1 %6, double 0.000000e+00, double %5
  %8 = fdiv nsz arcp contract double %2, %y
  %9 = fcmp oeq double %2, 0x0000000000000000
  %10 = select i1 %9, double 0.000000e+00, double %8
  %11 = fadd reassoc nsz arcp contract double %7, %10
  %12 = fdiv nsz arcp contract double %2, %y
  %13 = fneg nsz arcp contract double %12
  %14 = fmul nsz arcp contract double %13, %a.r
  %15 = fcmp oeq double %2, 0x0000000000000000
  %16 = select i1 %15, double 0.000000e+00, double %14
  br label %rev.finish

rev.finish:
  %17 = insertvalue { double, double } undef, double %11, 0
  %18 = insertvalue { double, double } %17, double %16, 1
  ret { double, double } %18
}


!14 = !{}
!0 = distinct !{!0, !"grad.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
