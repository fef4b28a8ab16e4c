
declare double @llvm.log.f64(double)

define double @f(double %x) {
entry:
  %c = fcmp ogt double %x, 0.0
  %l = call double @llvm.log.f64(double %x)
  %r = select i1 %c, double %l, double 0.0
  ret double %r
}

define { double } @grad.f(double %x, double %seed) nounwind "reciprocal-estimates"="none" {
entry:
  %c = fcmp ogt double %x, 0.0
  br i1 %c, label %entry.then, label %entry.else

entry.else:
  br label %entry.join

entry.then:
  %l = call double @llvm.log.f64(double %x)
  br label %entry.join

entry.join:
  %r = phi double [ %l, %entry.then ], [ 0.0, %entry.else ]
  br label %rev.entry.join

rev.entry.join:
  %c.r = fcmp ogt double %x, 0.0
  br i1 %c.r, label %rev.entry.join.entry.then, label %rev.entry.else

rev.entry.join.entry.then:
  br label %rev.entry.then

rev.entry.else:
  br label %rev.entry

rev.entry.then:
  %0 = fdiv nsz arcp contract double %seed, %x
  br label %rev.entry

rev.entry:
  %x.d = phi double [ 0.000000e+00, %rev.entry.else ], [ %0, %rev.entry.then ]
  br label %rev.finish

rev.finish:
  %1 = insertvalue { double } undef, double %x.d, 0
  ret { double } %1
}


!14 = !{}
!0 = distinct !{!0, !"grad.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
