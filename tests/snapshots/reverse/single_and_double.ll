
define double @f(double %x, float %y) {
entry:
  %narrow = fptrunc double %x to float
  %a = fmul float %narrow, %y
  %wide = fpext float %a to double
  %r = fmul double %wide, %wide
  ret double %r
}

define { double, float } @grad.f(double %x, float %y, double %seed) nounwind "reciprocal-estimates"="none" {
entry:
  %narrow = fptrunc double %x to float
  %a = fmul float %narrow, %y
  %wide = fpext float %a to double
  %r = fmul double %wide, %wide
  br label %rev.entry

rev.entry:
  %narrow.r = fptrunc double %x to float
  %a.r = fmul float %narrow.r, %y
  %wide.r = fpext float %a.r to double
  %0 = fadd reassoc nsz arcp contract double %wide.r, %wide.r
  %1 = fmul nsz arcp contract double %seed, %0
  %2 = fptrunc double %1 to float
  %3 = fmul nsz arcp contract float %2, %y
  %4 = fmul nsz arcp contract float %2, %narrow.r
  %5 = fpext float %3 to double
  br label %rev.finish

rev.finish:
  %6 = insertvalue { double, float } undef, double %5, 0
  %7 = insertvalue { double, float } %6, float %4, 1
  ret { double, float } %7
}


!14 = !{}
!0 = distinct !{!0, !"grad.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
