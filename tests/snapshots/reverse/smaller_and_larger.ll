
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
  %2 = fmul nsz arcp contract double %0, %l.r
  %3 = fmul nsz arcp contract double %0, %l.r
  %4 = fadd reassoc nsz arcp contract double %2, %3
  %5 = fcmp olt double %x, %y
  %6 = select i1 %5, double 0x0000000000000000, double %4
  %7 = fcmp olt double %x, %y
  %8 = select i1 %7, double %4, double 0x0000000000000000
  %9 = fcmp olt double %x, %y
  %10 = select i1 %9, double %1, double 0x0000000000000000
  %11 = fadd reassoc nsz arcp contract double %6, %10
  %12 = fcmp olt double %x, %y
  %13 = select i1 %12, double 0x0000000000000000, double %1
  %14 = fadd reassoc nsz arcp contract double %8, %13
  br label %rev.finish

rev.finish:
  %15 = insertvalue { double, double } undef, double %11, 0
  %16 = insertvalue { double, double } %15, double %14, 1
  ret { double, double } %16
}


!14 = !{}
!0 = distinct !{!0, !"grad.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
