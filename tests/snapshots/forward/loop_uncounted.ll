
declare double @llvm.fabs.f64(double)

define double @f(double %x) {
entry:
  br label %loop

loop:
  %y = phi double [ %x, %entry ], [ %better, %loop ]
  %q = fdiv double %x, %y
  %s = fadd double %y, %q
  %better = fmul double %s, 0.5
  %step = fsub double %better, %y
  %size = call double @llvm.fabs.f64(double %step)
  %more = fcmp ogt double %size, 1.0e-3
  br i1 %more, label %loop, label %end

end:
  %r = phi double [ %better, %loop ]
  ret double %r
}

define { double } @fwd.f(double %x, double %x.d) nounwind "reciprocal-estimates"="none" {
entry:
  br label %loop

loop:
  %y = phi double [ %x, %entry ], [ %better, %loop ]
  %y.t = phi double [ %x.d, %entry ], [ %12, %loop ]
  %q = fdiv double %x, %y
  %0 = fdiv double %x.d, %y
  %1 = fcmp oeq double %x.d, 0x0000000000000000
  %2 = select i1 %1, double 0.000000e+00, double %0
  %3 = fdiv double %y.t, %y
  %4 = fneg double %3
  %5 = fmul double %4, %q
  %6 = fdiv double 0x3FF0000000000000, %y
  %7 = fneg double %6
  %8 = fmul double %7, %q
  %9 = call double @enzyme.either_zero.f64(double %y.t, double %8, double %5)
  %10 = fadd double %2, %9
  %s = fadd double %y, %q
  %11 = fadd double %y.t, %10
  %better = fmul double %s, 0.5
  %12 = fmul double %11, 0.5
  %step = fsub double %better, %y
  %size = call double @llvm.fabs.f64(double %step)
  %more = fcmp ogt double %size, 1.0e-3
  br i1 %more, label %loop, label %end

end:
  %r = phi double [ %better, %loop ]
  %r.t = phi double [ %12, %loop ]
  %13 = insertvalue { double } undef, double %r.t, 0
  ret { double } %13
}

define internal double @enzyme.either_zero.f64(double %0, double %1, double %2) nounwind willreturn memory(none) alwaysinline {
entry:
  %3 = fcmp oeq double %1, 0x0000000000000000
  %4 = select i1 %3, double 0x0000000000000000, double %2
  %5 = fcmp uno double %2, %2
  %6 = select i1 %5, double %4, double %2
  %7 = fcmp oeq double %0, 0x0000000000000000
  %8 = select i1 %7, double 0.000000e+00, double %6
  ret double %8
}


!14 = !{}
!0 = distinct !{!0, !"fwd.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
