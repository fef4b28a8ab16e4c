
define internal double @even(double %x, i64 %n) {
entry:
  %last = icmp slt i64 %n, 1
  br i1 %last, label %end, label %more

more:
  %less = sub i64 %n, 1
  %y = call double @odd(double %x, i64 %less)
  %m = fmul double %y, %x
  br label %end

end:
  %r = phi double [ 1.0, %entry ], [ %m, %more ]
  ret double %r
}

define internal double @odd(double %x, i64 %n) {
entry:
  %last = icmp slt i64 %n, 1
  br i1 %last, label %end, label %more

more:
  %less = sub i64 %n, 1
  %y = call double @even(double %x, i64 %less)
  %m = fadd double %y, %x
  br label %end

end:
  %r = phi double [ 2.0, %entry ], [ %m, %more ]
  ret double %r
}

define double @f(double %x, i64 %n) {
entry:
  %r = call double @even(double %x, i64 %n)
  ret double %r
}

define { double } @fwd.f(double %x, double %x.d, i64 %n) nounwind "reciprocal-estimates"="none" {
entry:
  %r = call { double, double, i1 } @fwd.even(double %x, double %x.d, i64 %n)
  %r.short = extractvalue { double, double, i1 } %r, 2
  br i1 %r.short, label %no.memory, label %entry.kept

entry.kept:
  %r.1 = extractvalue { double, double, i1 } %r, 0
  %r.t = extractvalue { double, double, i1 } %r, 1
  %0 = insertvalue { double } undef, double %r.t, 0
  ret { double } %0

no.memory:
  call void @abort()
  unreachable
}

define internal { double, double, i1 } @fwd.even(double %x, double %x.d, i64 %n) nounwind "reciprocal-estimates"="none" {
entry:
  %last = icmp slt i64 %n, 1
  br i1 %last, label %end, label %more

more:
  %less = sub i64 %n, 1
  %y = call { double, double, i1 } @fwd.odd(double %x, double %x.d, i64 %less)
  %y.short = extractvalue { double, double, i1 } %y, 2
  br i1 %y.short, label %no.memory, label %more.kept

more.kept:
  %y.1 = extractvalue { double, double, i1 } %y, 0
  %y.t = extractvalue { double, double, i1 } %y, 1
  %m = fmul double %y.1, %x
  %0 = fmul double %y.t, %x
  %1 = call double @enzyme.either_zero.f64(double %y.t, double %x, double %0)
  %2 = fmul double %x.d, %y.1
  %3 = call double @enzyme.either_zero.f64(double %x.d, double %y.1, double %2)
  %4 = fadd double %1, %3
  br label %end

end:
  %r = phi double [ 1.0, %entry ], [ %m, %more.kept ]
  %r.t = phi double [ 0.000000e+00, %entry ], [ %4, %more.kept ]
  %5 = insertvalue { double, double, i1 } undef, double %r, 0
  %6 = insertvalue { double, double, i1 } %5, double %r.t, 1
  %7 = insertvalue { double, double, i1 } %6, i1 false, 2
  ret { double, double, i1 } %7

no.memory:
  %8 = insertvalue { double, double, i1 } undef, double 0.000000e+00, 0
  %9 = insertvalue { double, double, i1 } %8, double 0.000000e+00, 1
  %10 = insertvalue { double, double, i1 } %9, i1 true, 2
  ret { double, double, i1 } %10
}

define internal { double, double, i1 } @fwd.odd(double %x, double %x.d, i64 %n) nounwind "reciprocal-estimates"="none" {
entry:
  %last = icmp slt i64 %n, 1
  br i1 %last, label %end, label %more

more:
  %less = sub i64 %n, 1
  %y = call { double, double, i1 } @fwd.even(double %x, double %x.d, i64 %less)
  %y.short = extractvalue { double, double, i1 } %y, 2
  br i1 %y.short, label %no.memory, label %more.kept

more.kept:
  %y.1 = extractvalue { double, double, i1 } %y, 0
  %y.t = extractvalue { double, double, i1 } %y, 1
  %m = fadd double %y.1, %x
  %0 = fadd double %y.t, %x.d
  br label %end

end:
  %r = phi double [ 2.0, %entry ], [ %m, %more.kept ]
  %r.t = phi double [ 0.000000e+00, %entry ], [ %0, %more.kept ]
  %1 = insertvalue { double, double, i1 } undef, double %r, 0
  %2 = insertvalue { double, double, i1 } %1, double %r.t, 1
  %3 = insertvalue { double, double, i1 } %2, i1 false, 2
  ret { double, double, i1 } %3

no.memory:
  %4 = insertvalue { double, double, i1 } undef, double 0.000000e+00, 0
  %5 = insertvalue { double, double, i1 } %4, double 0.000000e+00, 1
  %6 = insertvalue { double, double, i1 } %5, i1 true, 2
  ret { double, double, i1 } %6
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

declare void @abort()


!14 = !{}
!0 = distinct !{!0, !"fwd.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
!29 = !{}
!15 = distinct !{!15, !"fwd.even"}
!16 = distinct !{!16, !15, !"cache"}
!17 = distinct !{!17, !15, !"primal 0"}
!18 = distinct !{!18, !15, !"shadow 0 0"}
!44 = !{}
!30 = distinct !{!30, !"fwd.odd"}
!31 = distinct !{!31, !30, !"cache"}
!32 = distinct !{!32, !30, !"primal 0"}
!33 = distinct !{!33, !30, !"shadow 0 0"}
