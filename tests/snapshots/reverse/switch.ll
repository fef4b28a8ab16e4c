
define double @f(double %x, i64 %n) {
entry:
  switch i64 %n, label %other [ i64 1, label %one i64 2, label %two ]

one:
  %a = fmul double %x, 3.0
  br label %end

two:
  %b = fmul double %x, %x
  br label %end

other:
  %c = fdiv double 1.0, %x
  br label %end

end:
  %r = phi double [ %a, %one ], [ %b, %two ], [ %c, %other ]
  ret double %r
}

define { double } @grad.f(double %x, i64 %n, double %seed) nounwind "reciprocal-estimates"="none" {
entry:
  %end.from.c = alloca i8
  switch i64 %n, label %other [ i64 1, label %one i64 2, label %two ]

one:
  %a = fmul double %x, 3.0
  br label %end

two:
  %b = fmul double %x, %x
  br label %end

other:
  %c = fdiv double 1.0, %x
  br label %end

end:
  %end.from = phi i8 [ 0, %one ], [ 1, %two ], [ 2, %other ]
  %r = phi double [ %a, %one ], [ %b, %two ], [ %c, %other ]
  store i8 %end.from, ptr %end.from.c
  br label %rev.end

rev.end:
  %end.from.l = load i8, ptr %end.from.c
  switch i8 %end.from.l, label %rev.end.one [ i8 1, label %rev.end.two i8 2, label %rev.end.other ]

rev.end.other:
  br label %rev.other

rev.end.two:
  br label %rev.two

rev.end.one:
  br label %rev.one

rev.two:
  %0 = fadd reassoc nsz arcp contract double %x, %x
  %1 = fmul nsz arcp contract double %seed, %0
  br label %rev.entry

rev.one:
  %2 = fmul nsz arcp contract double %seed, 3.0
  br label %rev.entry

rev.other:
  %3 = fdiv nsz arcp contract double %seed, %x
  %4 = fneg nsz arcp contract double %3
  %c.r = fdiv double 1.0, %x
  %5 = fmul nsz arcp contract double %4, %c.r
  br label %rev.entry

rev.entry:
  %x.d = phi double [ %1, %rev.two ], [ %2, %rev.one ], [ %5, %rev.other ]
  br label %rev.finish

rev.finish:
  %6 = insertvalue { double } undef, double %x.d, 0
  ret { double } %6
}


!14 = !{}
!0 = distinct !{!0, !"grad.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
