
define double @f(double %x) {
entry:
  %bits = bitcast double %x to i64
  %masked = and i64 %bits, 9223372036854775807
  %abs = bitcast i64 %masked to double
  %r = fmul double %abs, %x
  ret double %r
}

define { double } @grad.f(double %x, double %seed) nounwind {
entry:
  %primal.result = alloca double
  %x.d = alloca double
  %abs = call double @llvm.fabs.f64(double %x)
  %r = fmul double %abs, %x
  store double %r, ptr %primal.result
  br label %rev.entry

rev.entry:
  store double 0.000000e+00, ptr %x.d
  %0 = fmul nsz arcp contract double %seed, %x
  %abs.r = call double @llvm.fabs.f64(double %x)
  %1 = fmul nsz arcp contract double %seed, %abs.r
  %2 = load double, ptr %x.d
  %3 = fadd reassoc nsz arcp contract double %2, %1
  store double %3, ptr %x.d
  %4 = fcmp olt double %x, 0x0000000000000000
  %5 = fneg nsz arcp contract double %0
  %6 = select i1 %4, double %5, double %0
  %7 = load double, ptr %x.d
  %8 = fadd reassoc nsz arcp contract double %7, %6
  store double %8, ptr %x.d
  br label %rev.finish

rev.finish:
  %9 = load double, ptr %x.d
  %10 = insertvalue { double } undef, double %9, 0
  ret { double } %10
}

declare double @llvm.fabs.f64(double)


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
