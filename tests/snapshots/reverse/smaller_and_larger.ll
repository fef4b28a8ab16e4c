
declare double @llvm.minnum.f64(double, double)

declare double @llvm.maximum.f64(double, double)

define double @f(double %x, double %y) {
entry:
  %s = call double @llvm.minnum.f64(double %x, double %y)
  %l = call double @llvm.maximum.f64(double %x, double %y)
  %q = fmul double %l, %l
  %r = fmul double %q, %s
  ret double %r
}

define { double, double } @grad.f(double %x, double %y, double %seed) nounwind {
entry:
  %primal.result = alloca double
  %x.d = alloca double
  %y.d = alloca double
  %s = call double @llvm.minnum.f64(double %x, double %y)
  %l = call double @llvm.maximum.f64(double %x, double %y)
  %q = fmul double %l, %l
  %r = fmul double %q, %s
  store double %r, ptr %primal.result
  br label %rev.entry

rev.entry:
  store double 0.000000e+00, ptr %y.d
  store double 0.000000e+00, ptr %x.d
  %s.r = call double @llvm.minnum.f64(double %x, double %y)
  %0 = fmul nsz arcp contract double %seed, %s.r
  %l.r = call double @llvm.maximum.f64(double %x, double %y)
  %q.r = fmul double %l.r, %l.r
  %1 = fmul nsz arcp contract double %seed, %q.r
  %2 = fmul nsz arcp contract double %0, %l.r
  %3 = fmul nsz arcp contract double %0, %l.r
  %4 = fadd reassoc nsz arcp contract double %2, %3
  %5 = fcmp olt double %x, %y
  %6 = select i1 %5, double 0x0000000000000000, double %4
  %7 = load double, ptr %x.d
  %8 = fadd reassoc nsz arcp contract double %7, %6
  store double %8, ptr %x.d
  %9 = fcmp olt double %x, %y
  %10 = select i1 %9, double %4, double 0x0000000000000000
  %11 = load double, ptr %y.d
  %12 = fadd reassoc nsz arcp contract double %11, %10
  store double %12, ptr %y.d
  %13 = fcmp olt double %x, %y
  %14 = select i1 %13, double %1, double 0x0000000000000000
  %15 = load double, ptr %x.d
  %16 = fadd reassoc nsz arcp contract double %15, %14
  store double %16, ptr %x.d
  %17 = fcmp olt double %x, %y
  %18 = select i1 %17, double 0x0000000000000000, double %1
  %19 = load double, ptr %y.d
  %20 = fadd reassoc nsz arcp contract double %19, %18
  store double %20, ptr %y.d
  br label %rev.finish

rev.finish:
  %21 = load double, ptr %x.d
  %22 = load double, ptr %y.d
  %23 = insertvalue { double, double } undef, double %21, 0
  %24 = insertvalue { double, double } %23, double %22, 1
  ret { double, double } %24
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
