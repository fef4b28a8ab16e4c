
declare double @llvm.sin.f64(double)

define double @f(double %x) {
entry:
  %c = fcmp ogt double %x, 1.0
  br i1 %c, label %then, label %else

then:
  %a = fmul double %x, %x
  br label %end

else:
  %b = call double @llvm.sin.f64(double %x)
  br label %end

end:
  %r = phi double [ %a, %then ], [ %b, %else ]
  ret double %r
}

define { double } @grad.f(double %x, double %seed) nounwind "reciprocal-estimates"="none" {
entry:
  %c = fcmp ogt double %x, 1.0
  br i1 %c, label %then, label %else

then:
  %a = fmul double %x, %x
  br label %end

else:
  %b = call double @llvm.sin.f64(double %x)
  br label %end

end:
  %r = phi double [ %a, %then ], [ %b, %else ]
  br label %rev.end

rev.end:
  %c.r = fcmp ogt double %x, 1.0
  br i1 %c.r, label %rev.end.then, label %rev.end.else

rev.end.else:
  br label %rev.else

rev.end.then:
  br label %rev.then

rev.else:
  %0 = call nsz arcp contract double @llvm.cos.f64(double %x)
  %1 = fmul nsz arcp contract double %seed, %0
  br label %rev.entry

rev.then:
  %2 = fadd reassoc nsz arcp contract double %x, %x
  %3 = fmul nsz arcp contract double %seed, %2
  br label %rev.entry

rev.entry:
  %x.d = phi double [ %1, %rev.else ], [ %3, %rev.then ]
  br label %rev.finish

rev.finish:
  %4 = insertvalue { double } undef, double %x.d, 0
  ret { double } %4
}

declare double @llvm.cos.f64(double)


!14 = !{}
!0 = distinct !{!0, !"grad.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
