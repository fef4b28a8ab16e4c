
define double @f(double %x, float %y) {
entry:
  %narrow = fptrunc double %x to float
  %a = fmul float %narrow, %y
  %wide = fpext float %a to double
  %r = fmul double %wide, %wide
  ret double %r
}

define { double } @fwd.f(double %x, double %x.d, float %y, float %y.d) nounwind "reciprocal-estimates"="none" {
entry:
  %narrow = fptrunc double %x to float
  %0 = fptrunc double %x.d to float
  %a = fmul float %narrow, %y
  %1 = fmul float %0, %y
  %2 = fmul float %y.d, %narrow
  %3 = fadd float %1, %2
  %wide = fpext float %a to double
  %4 = fpext float %3 to double
  %r = fmul double %wide, %wide
  %5 = fadd double %wide, %wide
  %6 = fmul double %4, %5
  %7 = insertvalue { double } undef, double %6, 0
  ret { double } %7
}


!14 = !{}
!0 = distinct !{!0, !"fwd.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
