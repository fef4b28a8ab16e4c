
define double @f(double %x, double %y) {
entry:
  %c = fcmp ogt double %x, 1.0
  br i1 %c, label %then, label %end

then:
  %d = fcmp ogt double %y, 1.0
  %a = fmul double %x, %y
  br i1 %d, label %inner, label %end

inner:
  %b = fmul double %a, %a
  br label %end

end:
  %r = phi double [ %x, %entry ], [ %a, %then ], [ %b, %inner ]
  ret double %r
}

define { double, double } @grad.f(double %x, double %y, double %seed) nounwind "reciprocal-estimates"="none" {
entry:
  %end.from.c = alloca i8
  %c = fcmp ogt double %x, 1.0
  br i1 %c, label %then, label %end

then:
  %d = fcmp ogt double %y, 1.0
  %a = fmul double %x, %y
  br i1 %d, label %inner, label %end

inner:
  %b = fmul double %a, %a
  br label %end

end:
  %end.from = phi i8 [ 0, %entry ], [ 1, %then ], [ 2, %inner ]
  %r = phi double [ %x, %entry ], [ %a, %then ], [ %b, %inner ]
  store i8 %end.from, ptr %end.from.c
  br label %rev.end

rev.end:
  %end.from.l = load i8, ptr %end.from.c
  switch i8 %end.from.l, label %rev.end.entry [ i8 1, label %rev.end.then i8 2, label %rev.end.inner ]

rev.end.inner:
  br label %rev.inner

rev.end.then:
  br label %rev.then

rev.end.entry:
  br label %rev.entry

rev.inner:
  %a.r = fmul double %x, %y
  %0 = fadd reassoc nsz arcp contract double %a.r, %a.r
  %1 = fmul nsz arcp contract double %seed, %0
  br label %rev.then

rev.then:
  %a.d = phi double [ %seed, %rev.end.then ], [ %1, %rev.inner ]
  %2 = fmul nsz arcp contract double %a.d, %y
  %3 = fmul nsz arcp contract double %a.d, %x
  br label %rev.entry

rev.entry:
  %y.d = phi double [ 0.000000e+00, %rev.end.entry ], [ %3, %rev.then ]
  %x.d = phi double [ %seed, %rev.end.entry ], [ %2, %rev.then ]
  br label %rev.finish

rev.finish:
  %4 = insertvalue { double, double } undef, double %x.d, 0
  %5 = insertvalue { double, double } %4, double %y.d, 1
  ret { double, double } %5
}


!14 = !{}
!0 = distinct !{!0, !"grad.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
