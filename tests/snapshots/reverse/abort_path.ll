
declare void @abort()

define double @f(double %x) {
entry:
  %c = fcmp olt double %x, 0.0
  br i1 %c, label %bad, label %good

bad:
  call void @abort()
  unreachable

good:
  %r = fmul double %x, %x
  ret double %r
}

define { double } @grad.f(double %x, double %seed) nounwind "reciprocal-estimates"="none" {
entry:
  %c = fcmp olt double %x, 0.0
  br i1 %c, label %bad, label %good

bad:
  call void @abort()
  unreachable

good:
  %r = fmul double %x, %x
  br label %rev.good

rev.good:
  %0 = fadd reassoc nsz arcp contract double %x, %x
  %1 = fmul nsz arcp contract double %seed, %0
  br label %rev.entry

rev.entry:
  br label %rev.finish

rev.finish:
  %2 = insertvalue { double } undef, double %1, 0
  ret { double } %2
}


!14 = !{}
!0 = distinct !{!0, !"grad.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
