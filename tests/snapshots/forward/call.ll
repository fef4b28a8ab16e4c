
define internal double @g(double %x, double %y) {
entry:
  %a = fmul double %x, %y
  %b = fmul double %a, %x
  ret double %b
}

define double @f(double %x, double %y) {
entry:
  %a = call double @g(double %x, double %y)
  %b = call double @g(double %a, double 2.0)
  ret double %b
}

define { double } @fwd.f(double %x, double %x.d, double %y, double %y.d) nounwind "reciprocal-estimates"="none" {
entry:
  %a = call { double, double, i1 } @fwd.g(double %x, double %x.d, double %y, double %y.d)
  %a.short = extractvalue { double, double, i1 } %a, 2
  br i1 %a.short, label %no.memory, label %entry.kept

entry.kept:
  %a.1 = extractvalue { double, double, i1 } %a, 0
  %a.t = extractvalue { double, double, i1 } %a, 1
  %b = call { double, double, i1 } @fwd.g.1(double %a.1, double %a.t, double 2.0)
  %b.short = extractvalue { double, double, i1 } %b, 2
  br i1 %b.short, label %no.memory, label %entry.kept.1

entry.kept.1:
  %b.1 = extractvalue { double, double, i1 } %b, 0
  %b.t = extractvalue { double, double, i1 } %b, 1
  %0 = insertvalue { double } undef, double %b.t, 0
  ret { double } %0

no.memory:
  call void @abort()
  unreachable
}

define internal { double, double, i1 } @fwd.g(double %x, double %x.d, double %y, double %y.d) nounwind "reciprocal-estimates"="none" {
entry:
  %a = fmul double %x, %y
  %0 = fmul double %x.d, %y
  %1 = call double @enzyme.either_zero.f64(double %x.d, double %y, double %0)
  %2 = fmul double %y.d, %x
  %3 = call double @enzyme.either_zero.f64(double %y.d, double %x, double %2)
  %4 = fadd double %1, %3
  %b = fmul double %a, %x
  %5 = fmul double %4, %x
  %6 = call double @enzyme.either_zero.f64(double %4, double %x, double %5)
  %7 = fmul double %x.d, %a
  %8 = call double @enzyme.either_zero.f64(double %x.d, double %a, double %7)
  %9 = fadd double %6, %8
  %10 = insertvalue { double, double, i1 } undef, double %b, 0
  %11 = insertvalue { double, double, i1 } %10, double %9, 1
  %12 = insertvalue { double, double, i1 } %11, i1 false, 2
  ret { double, double, i1 } %12
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

define internal { double, double, i1 } @fwd.g.1(double %x, double %x.d, double %y) nounwind "reciprocal-estimates"="none" {
entry:
  %a = fmul double %x, %y
  %0 = fmul double %x.d, %y
  %1 = call double @enzyme.either_zero.f64(double %x.d, double %y, double %0)
  %b = fmul double %a, %x
  %2 = fmul double %1, %x
  %3 = call double @enzyme.either_zero.f64(double %1, double %x, double %2)
  %4 = fmul double %x.d, %a
  %5 = call double @enzyme.either_zero.f64(double %x.d, double %a, double %4)
  %6 = fadd double %3, %5
  %7 = insertvalue { double, double, i1 } undef, double %b, 0
  %8 = insertvalue { double, double, i1 } %7, double %6, 1
  %9 = insertvalue { double, double, i1 } %8, i1 false, 2
  ret { double, double, i1 } %9
}

declare void @abort()


!14 = !{}
!0 = distinct !{!0, !"fwd.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
!29 = !{}
!15 = distinct !{!15, !"fwd.g"}
!16 = distinct !{!16, !15, !"cache"}
!17 = distinct !{!17, !15, !"primal 0"}
!18 = distinct !{!18, !15, !"shadow 0 0"}
!44 = !{}
!30 = distinct !{!30, !"fwd.g.1"}
!31 = distinct !{!31, !30, !"cache"}
!32 = distinct !{!32, !30, !"primal 0"}
!33 = distinct !{!33, !30, !"shadow 0 0"}
