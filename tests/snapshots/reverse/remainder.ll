
define double @f(double %x, double %y) {
entry:
  %r = frem double %x, %y
  ret double %r
}

define { double, double } @grad.f(double %x, double %y, double %seed) nounwind {
entry:
  %primal.result = alloca double
  %x.d = alloca double
  %y.d = alloca double
  %r = frem double %x, %y
  store double %r, ptr %primal.result
  br label %rev.entry

rev.entry:
  store double 0.000000e+00, ptr %y.d
  store double 0.000000e+00, ptr %x.d
  %0 = load double, ptr %x.d
  %1 = fadd reassoc nsz arcp contract double %0, %seed
  store double %1, ptr %x.d
  %2 = fneg nsz arcp contract double %seed
  %r.r = frem double %x, %y
  %3 = fsub reassoc nsz arcp contract double %x, %r.r
  %4 = fdiv nsz arcp contract double %3, %y
  %5 = call nsz arcp contract double @llvm.rint.f64(double %4)
  %6 = fmul nsz arcp contract double %2, %5
  %7 = fcmp oeq double %seed, 0x0000000000000000
  %8 = select i1 %7, double 0.000000e+00, double %6
  %9 = load double, ptr %y.d
  %10 = fadd reassoc nsz arcp contract double %9, %8
  store double %10, ptr %y.d
  br label %rev.finish

rev.finish:
  %11 = load double, ptr %x.d
  %12 = load double, ptr %y.d
  %13 = insertvalue { double, double } undef, double %11, 0
  %14 = insertvalue { double, double } %13, double %12, 1
  ret { double, double } %14
}

declare double @llvm.rint.f64(double)


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
