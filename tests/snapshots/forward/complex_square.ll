
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
  %0 = fadd double %x, %x
  %1 = fmul double %x.t, %0
  %yy = fmul double %y, %y
  %2 = fadd double %y, %y
  %3 = fmul double %y.t, %2
  %xy = fmul double %x, %y
  %4 = fmul double %x.t, %y
  %5 = fmul double %y.t, %x
  %6 = fadd double %4, %5
  %u = fsub double %xx, %yy
  %7 = fneg double %3
  %8 = fadd double %1, %7
  %v = fmul double %xy, 2.0
  %9 = fmul double %6, 2.0
  %r = fmul double %u, %v
  %10 = fmul double %8, %v
  %11 = fmul double %9, %u
  %12 = fadd double %10, %11
  %13 = insertvalue { double } undef, double %12, 0
  ret { double } %13
}


!14 = !{}
!0 = distinct !{!0, !"fwd.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
