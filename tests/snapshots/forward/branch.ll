
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

define { double } @fwd.f(double %x, double %x.d) nounwind "reciprocal-estimates"="none" {
entry:
  %c = fcmp ogt double %x, 1.0
  br i1 %c, label %then, label %else

then:
  %a = fmul double %x, %x
  %0 = fadd double %x, %x
  %1 = fmul double %x.d, %0
  br label %end

else:
  %b = call double @llvm.sin.f64(double %x)
  %2 = call double @llvm.cos.f64(double %x)
  %3 = fmul double %x.d, %2
  br label %end

end:
  %r = phi double [ %a, %then ], [ %b, %else ]
  %r.t = phi double [ %1, %then ], [ %3, %else ]
  %4 = insertvalue { double } undef, double %r.t, 0
  ret { double } %4
}

declare double @llvm.cos.f64(double)


!14 = !{}
!0 = distinct !{!0, !"fwd.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
