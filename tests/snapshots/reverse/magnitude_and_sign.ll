
declare double @llvm.fabs.f64(double)

declare double @llvm.copysign.f64(double, double)

define double @f(double %x, double %y) {
entry:
  %a = call double @llvm.fabs.f64(double %x)
  %c = call double @llvm.copysign.f64(double %y, double %x)
  %r = fmul double %a, %c
  ret double %r
}

define { double, double } @grad.f(double %x, double %y, double %seed) nounwind {
entry:
  %primal.result = alloca double
  %y.d = alloca double
  %x.d = alloca double
  %a = call double @llvm.fabs.f64(double %x)
  %c = call double @llvm.copysign.f64(double %y, double %x)
  %r = fmul double %a, %c
  store double %r, ptr %primal.result
  br label %rev.entry

rev.entry:
  store double 0.000000e+00, ptr %x.d
  store double 0.000000e+00, ptr %y.d
  %c.r = call double @llvm.copysign.f64(double %y, double %x)
  %0 = fmul nsz arcp contract double %seed, %c.r
  %a.r = call double @llvm.fabs.f64(double %x)
  %1 = fmul nsz arcp contract double %seed, %a.r
  %2 = call nsz arcp contract double @llvm.copysign.f64(double 0x3FF0000000000000, double %y)
  %3 = call nsz arcp contract double @llvm.copysign.f64(double 0x3FF0000000000000, double %x)
  %4 = fmul nsz arcp contract double %2, %3
  %5 = fmul nsz arcp contract double %1, %4
  %6 = load double, ptr %y.d
  %7 = fadd reassoc nsz arcp contract double %6, %5
  store double %7, ptr %y.d
  %8 = fcmp olt double %x, 0x0000000000000000
  %9 = fneg nsz arcp contract double %0
  %10 = select i1 %8, double %9, double %0
  %11 = load double, ptr %x.d
  %12 = fadd reassoc nsz arcp contract double %11, %10
  store double %12, ptr %x.d
  br label %rev.finish

rev.finish:
  %13 = load double, ptr %x.d
  %14 = load double, ptr %y.d
  %15 = insertvalue { double, double } undef, double %13, 0
  %16 = insertvalue { double, double } %15, double %14, 1
  ret { double, double } %16
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
