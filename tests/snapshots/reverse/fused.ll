
declare double @llvm.fma.f64(double, double, double)

declare double @llvm.fmuladd.f64(double, double, double)

define double @f(double %x, double %y, double %z) {
entry:
  %a = call double @llvm.fma.f64(double %x, double %y, double %z)
  %r = call double @llvm.fmuladd.f64(double %a, double %x, double 1.0)
  ret double %r
}

define { double, double, double } @grad.f(double %x, double %y, double %z, double %seed) nounwind {
entry:
  %primal.result = alloca double
  %x.d = alloca double
  %y.d = alloca double
  %z.d = alloca double
  %a = call double @llvm.fma.f64(double %x, double %y, double %z)
  %r = call double @llvm.fmuladd.f64(double %a, double %x, double 1.0)
  store double %r, ptr %primal.result
  br label %rev.entry

rev.entry:
  store double 0.000000e+00, ptr %z.d
  store double 0.000000e+00, ptr %y.d
  store double 0.000000e+00, ptr %x.d
  %0 = fmul nsz arcp contract double %seed, %x
  %a.r = call double @llvm.fma.f64(double %x, double %y, double %z)
  %1 = fmul nsz arcp contract double %seed, %a.r
  %2 = load double, ptr %x.d
  %3 = fadd reassoc nsz arcp contract double %2, %1
  store double %3, ptr %x.d
  %4 = fmul nsz arcp contract double %0, %y
  %5 = load double, ptr %x.d
  %6 = fadd reassoc nsz arcp contract double %5, %4
  store double %6, ptr %x.d
  %7 = fmul nsz arcp contract double %0, %x
  %8 = load double, ptr %y.d
  %9 = fadd reassoc nsz arcp contract double %8, %7
  store double %9, ptr %y.d
  %10 = load double, ptr %z.d
  %11 = fadd reassoc nsz arcp contract double %10, %0
  store double %11, ptr %z.d
  br label %rev.finish

rev.finish:
  %12 = load double, ptr %x.d
  %13 = load double, ptr %y.d
  %14 = load double, ptr %z.d
  %15 = insertvalue { double, double, double } undef, double %12, 0
  %16 = insertvalue { double, double, double } %15, double %13, 1
  %17 = insertvalue { double, double, double } %16, double %14, 2
  ret { double, double, double } %17
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
