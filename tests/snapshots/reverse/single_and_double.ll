
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
  %0 = fmul nsz arcp contract double %seed, %wide.r
  %1 = fmul nsz arcp contract double %seed, %wide.r
  %2 = fadd reassoc nsz arcp contract double %0, %1
  %3 = fptrunc double %2 to float
  %4 = fmul nsz arcp contract float %3, %y
  %5 = fmul nsz arcp contract float %3, %narrow.r
  %6 = fpext float %4 to double
  br label %rev.finish

rev.finish:
  %7 = insertvalue { double, float } undef, double %6, 0
  %8 = insertvalue { double, float } %7, float %5, 1
  ret { double, float } %8
}


!14 = !{}
!0 = distinct !{!0, !"grad.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
