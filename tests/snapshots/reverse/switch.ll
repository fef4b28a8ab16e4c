
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

define { double } @grad.f(double %x, i64 %n, double %seed) nounwind {
entry:
  %end.from.c = alloca i8
  %primal.result = alloca double
  %a.d = alloca double
  %b.d = alloca double
  %c.d = alloca double
  %x.d = alloca double
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
  store double %r, ptr %primal.result
  br label %rev.end

rev.end:
  store double 0.000000e+00, ptr %x.d
  %end.from.l = load i8, ptr %end.from.c
  switch i8 %end.from.l, label %rev.end.one [ i8 1, label %rev.end.two i8 2, label %rev.end.other ]

rev.end.other:
  store double 0.000000e+00, ptr %c.d
  %0 = load double, ptr %c.d
  %1 = fadd reassoc nsz arcp contract double %0, %seed
  store double %1, ptr %c.d
  br label %rev.other

rev.end.two:
  store double 0.000000e+00, ptr %b.d
  %2 = load double, ptr %b.d
  %3 = fadd reassoc nsz arcp contract double %2, %seed
  store double %3, ptr %b.d
  br label %rev.two

rev.end.one:
  store double 0.000000e+00, ptr %a.d
  %4 = load double, ptr %a.d
  %5 = fadd reassoc nsz arcp contract double %4, %seed
  store double %5, ptr %a.d
  br label %rev.one

rev.two:
  %b.adj = load double, ptr %b.d
  store double 0.000000e+00, ptr %b.d
  %6 = fmul nsz arcp contract double %b.adj, %x
  %7 = load double, ptr %x.d
  %8 = fadd reassoc nsz arcp contract double %7, %6
  store double %8, ptr %x.d
  %9 = fmul nsz arcp contract double %b.adj, %x
  %10 = load double, ptr %x.d
  %11 = fadd reassoc nsz arcp contract double %10, %9
  store double %11, ptr %x.d
  br label %rev.entry

rev.one:
  %a.adj = load double, ptr %a.d
  store double 0.000000e+00, ptr %a.d
  %12 = fmul nsz arcp contract double %a.adj, 3.0
  %13 = load double, ptr %x.d
  %14 = fadd reassoc nsz arcp contract double %13, %12
  store double %14, ptr %x.d
  br label %rev.entry

rev.other:
  %c.adj = load double, ptr %c.d
  store double 0.000000e+00, ptr %c.d
  %15 = fdiv nsz arcp contract double %c.adj, %x
  %16 = fneg nsz arcp contract double %15
  %c.r = fdiv double 1.0, %x
  %17 = fmul nsz arcp contract double %16, %c.r
  %18 = fcmp oeq double %c.adj, 0x0000000000000000
  %19 = select i1 %18, double 0.000000e+00, double %17
  %20 = load double, ptr %x.d
  %21 = fadd reassoc nsz arcp contract double %20, %19
  store double %21, ptr %x.d
  br label %rev.entry

rev.entry:
  br label %rev.finish

rev.finish:
  %22 = load double, ptr %x.d
  %23 = insertvalue { double } undef, double %22, 0
  ret { double } %23
}


!0 = distinct !{!0, !"grad.f"}
!1 = distinct !{!1, !0, !"primal"}
!2 = distinct !{!2, !0, !"cache"}
!3 = distinct !{!3, !0, !"shadow 0"}
!4 = !{!1}
!5 = !{!2, !3}
!6 = !{!2}
!7 = !{!1, !3}
!8 = !{!3}
!9 = !{!1, !2}
