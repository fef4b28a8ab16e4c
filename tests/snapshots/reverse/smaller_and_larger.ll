
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

define { double, double } @grad.f(double %x, double %y, double %seed) nounwind "reciprocal-estimates"="none" {
entry:
  %s = call double @llvm.minnum.f64(double %x, double %y)
  %l = call double @llvm.maximum.f64(double %x, double %y)
  %q = fmul double %l, %l
  %r = fmul double %q, %s
  br label %rev.entry

rev.entry:
  %s.r = call double @llvm.minnum.f64(double %x, double %y)
  %0 = fmul nsz arcp contract double %seed, %s.r
  %l.r = call double @llvm.maximum.f64(double %x, double %y)
  %q.r = fmul double %l.r, %l.r
  %1 = fmul nsz arcp contract double %seed, %q.r
  %2 = fadd reassoc nsz arcp contract double %l.r, %l.r
  %3 = fmul nsz arcp contract double %0, %2
  %4 = fcmp olt double %x, %y
  %5 = select i1 %4, double 0x0000000000000000, double %3
  %6 = fcmp olt double %x, %y
  %7 = select i1 %6, double %3, double 0x0000000000000000
  %8 = fcmp olt double %x, %y
  %9 = select i1 %8, double %1, double 0x0000000000000000
  %10 = fadd reassoc nsz arcp contract double %5, %9
  %11 = fcmp olt double %x, %y
  %12 = select i1 %11, double 0x0000000000000000, double %1
  %13 = fadd reassoc nsz arcp contract double %7, %12
  br label %rev.finish

rev.finish:
  %14 = insertvalue { double, double } undef, double %10, 0
  %15 = insertvalue { double, double } %14, double %13, 1
  ret { double, double } %15
}


!14 = !{}
!0 = distinct !{!0, !"grad.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
