
define double @f(double %re, double %im) {
entry:
  %a = insertvalue { double, double } zeroinitializer, double %re, 0
  %z = insertvalue { double, double } %a, double %im, 1
  %x = extractvalue { double, double } %z, 0
  %y = extractvalue { double, double } %z, 1
  %xx = fmul double %x, %x
  %yy = fmul double %y, %y
  %xy = fmul double %x, %y
  %u = fsub double %xx, %yy
  %v = fmul double %xy, 2.0
  %r = fmul double %u, %v
  ret double %r
}

define { double } @fwd.f(double %re, double %re.d, double %im, double %im.d) nounwind "reciprocal-estimates"="none" {
entry:
  %a = insertvalue { double, double } zeroinitializer, double %re, 0
  %a.t = insertvalue { double, double } zeroinitializer, double %re.d, 0
  %z = insertvalue { double, double } %a, double %im, 1
  %z.t = insertvalue { double, double } %a.t, double %im.d, 1
  %x = extractvalue { double, double } %z, 0
  %x.t = extractvalue { double, double } %z.t, 0
  %y = extractvalue { double, double } %z, 1
  %y.t = extractvalue { double, double } %z.t, 1
  %xx = fmul double %x, %x
  %0 = fmul double %x.t, %x
  %1 = fmul double %x.t, %x
  %2 = fadd double %0, %1
  %yy = fmul double %y, %y
  %3 = fmul double %y.t, %y
  %4 = fmul double %y.t, %y
  %5 = fadd double %3, %4
  %xy = fmul double %x, %y
  %6 = fmul double %x.t, %y
  %7 = fmul double %y.t, %x
  %8 = fadd double %6, %7
  %u = fsub double %xx, %yy
  %9 = fneg double %5
  %10 = fadd double %2, %9
  %v = fmul double %xy, 2.0
  %11 = fmul double %8, 2.0
  %r = fmul double %u, %v
  %12 = fmul double %10, %v
  %13 = fmul double %11, %u
  %14 = fadd double %12, %13
  %15 = insertvalue { double } undef, double %14, 0
  ret { double } %15
}


!14 = !{}
!0 = distinct !{!0, !"fwd.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
