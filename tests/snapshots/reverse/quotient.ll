
define double @f(double %x, double %y) {
entry:
  %a = fdiv double %x, %y
  %r = fdiv double %a, %x
  ret double %r
}

define { double, double } @grad.f(double %x, double %y, double %seed) nounwind {
entry:
  %primal.result = alloca double
  %x.d = alloca double
  %y.d = alloca double
  %a = fdiv double %x, %y
  %r = fdiv double %a, %x
  store double %r, ptr %primal.result
  br label %rev.entry

rev.entry:
  store double 0.000000e+00, ptr %y.d
  store double 0.000000e+00, ptr %x.d
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
  %8 = load double, ptr %x.d
  %9 = fadd reassoc nsz arcp contract double %8, %7
  store double %9, ptr %x.d
  %10 = fdiv nsz arcp contract double %2, %y
  %11 = fcmp oeq double %2, 0x0000000000000000
  %12 = select i1 %11, double 0.000000e+00, double %10
  %13 = load double, ptr %x.d
  %14 = fadd reassoc nsz arcp contract double %13, %12
  store double %14, ptr %x.d
  %15 = fdiv nsz arcp contract double %2, %y
  %16 = fneg nsz arcp contract double %15
  %17 = fmul nsz arcp contract double %16, %a.r
  %18 = fcmp oeq double %2, 0x0000000000000000
  %19 = select i1 %18, double 0.000000e+00, double %17
  %20 = load double, ptr %y.d
  %21 = fadd reassoc nsz arcp contract double %20, %19
  store double %21, ptr %y.d
  br label %rev.finish

rev.finish:
  %22 = load double, ptr %x.d
  %23 = load double, ptr %y.d
  %24 = insertvalue { double, double } undef, double %22, 0
  %25 = insertvalue { double, double } %24, double %23, 1
  ret { double, double } %25
}


!0 = distinct !{!0, !"grad.f"}
!1 = distinct !{!1, !0, !"primal"}
!2 = distinct !{!2, !0, !"cache"}
!3 = distinct !{!3, !0, !"shadow 0"}
!4 = !{!1}
!5 = !{!2, !3}
!6 = !{!2}
!7 = !{!1, !3}
!8 = !{!3}
!9 = !{!1, !2}
