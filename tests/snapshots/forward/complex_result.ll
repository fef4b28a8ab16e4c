
define internal { double, double } @turned(double %x, double %y) noinline {
entry:
  %n = fneg double %y
  %a = insertvalue { double, double } zeroinitializer, double %n, 0
  %r = insertvalue { double, double } %a, double %x, 1
  ret { double, double } %r
}

define double @f(double %re, double %im) {
entry:
  %z = call { double, double } @turned(double %re, double %im)
  %x = extractvalue { double, double } %z, 0
  %y = extractvalue { double, double } %z, 1
  %xx = fmul double %x, %x
  %r = fmul double %xx, %y
  ret double %r
}

define { double } @fwd.f(double %re, double %re.d, double %im, double %im.d) nounwind "reciprocal-estimates"="none" {
entry:
  %z = call { { double, double }, { double, double }, i1 } @fwd.turned(double %re, double %re.d, double %im, double %im.d)
  %z.short = extractvalue { { double, double }, { double, double }, i1 } %z, 2
  br i1 %z.short, label %no.memory, label %entry.kept

entry.kept:
  %z.1 = extractvalue { { double, double }, { double, double }, i1 } %z, 0
  %z.t = extractvalue { { double, double }, { double, double }, i1 } %z, 1
  %x = extractvalue { double, double } %z.1, 0
  %x.t = extractvalue { double, double } %z.t, 0
  %y = extractvalue { double, double } %z.1, 1
  %y.t = extractvalue { double, double } %z.t, 1
  %xx = fmul double %x, %x
  %0 = fadd double %x, %x
  %1 = fmul double %x.t, %0
  %2 = fadd double %x, %x
  %3 = call double @enzyme.either_zero.f64(double %x.t, double %2, double %1)
  %r = fmul double %xx, %y
  %4 = fmul double %3, %y
  %5 = call double @enzyme.either_zero.f64(double %3, double %y, double %4)
  %6 = fmul double %y.t, %xx
  %7 = call double @enzyme.either_zero.f64(double %y.t, double %xx, double %6)
  %8 = fadd double %5, %7
  %9 = insertvalue { double } undef, double %8, 0
  ret { double } %9

no.memory:
  call void @abort()
  unreachable
}

define internal { { double, double }, { double, double }, i1 } @fwd.turned(double %x, double %x.d, double %y, double %y.d) nounwind "reciprocal-estimates"="none" {
entry:
  %n = fneg double %y
  %0 = fneg double %y.d
  %a = insertvalue { double, double } zeroinitializer, double %n, 0
  %a.t = insertvalue { double, double } zeroinitializer, double %0, 0
  %r = insertvalue { double, double } %a, double %x, 1
  %r.t = insertvalue { double, double } %a.t, double %x.d, 1
  %1 = insertvalue { { double, double }, { double, double }, i1 } undef, { double, double } %r, 0
  %2 = insertvalue { { double, double }, { double, double }, i1 } %1, { double, double } %r.t, 1
  %3 = insertvalue { { double, double }, { double, double }, i1 } %2, i1 false, 2
  ret { { double, double }, { double, double }, i1 } %3
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
!15 = distinct !{!15, !"fwd.turned"}
!16 = distinct !{!16, !15, !"cache"}
!17 = distinct !{!17, !15, !"primal 0"}
!18 = distinct !{!18, !15, !"shadow 0 0"}
