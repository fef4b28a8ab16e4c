
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

define { double } @fwd.f(double %x, double %x.d, i64 %n) nounwind "reciprocal-estimates"="none" {
entry:
  switch i64 %n, label %other [ i64 1, label %one i64 2, label %two ]

one:
  %a = fmul double %x, 3.0
  %0 = fmul double %x.d, 3.0
  br label %end

two:
  %b = fmul double %x, %x
  %1 = fadd double %x, %x
  %2 = fmul double %x.d, %1
  br label %end

other:
  %c = fdiv double 1.0, %x
  %3 = fdiv double %x.d, %x
  %4 = fneg double %3
  %5 = fmul double %4, %c
  %6 = fcmp oeq double %x.d, 0x0000000000000000
  %7 = select i1 %6, double 0.000000e+00, double %5
  br label %end

end:
  %r = phi double [ %a, %one ], [ %b, %two ], [ %c, %other ]
  %r.t = phi double [ %0, %one ], [ %2, %two ], [ %7, %other ]
  %8 = insertvalue { double } undef, double %r.t, 0
  ret { double } %8
}


!14 = !{}
!0 = distinct !{!0, !"fwd.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
