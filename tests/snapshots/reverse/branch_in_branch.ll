
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

define { double, double } @grad.f(double %x, double %y, double %seed) nounwind {
entry:
  %end.from.c = alloca i8
  %primal.result = alloca double
  %x.d = alloca double
  %a.d = alloca double
  %b.d = alloca double
  %y.d = alloca double
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
  store double %r, ptr %primal.result
  br label %rev.end

rev.end:
  store double 0.000000e+00, ptr %y.d
  store double 0.000000e+00, ptr %a.d
  store double 0.000000e+00, ptr %x.d
  %end.from.l = load i8, ptr %end.from.c
  switch i8 %end.from.l, label %rev.end.entry [ i8 1, label %rev.end.then i8 2, label %rev.end.inner ]

rev.end.inner:
  store double 0.000000e+00, ptr %b.d
  %0 = load double, ptr %b.d
  %1 = fadd reassoc nsz arcp contract double %0, %seed
  store double %1, ptr %b.d
  br label %rev.inner

rev.end.then:
  %2 = load double, ptr %a.d
  %3 = fadd reassoc nsz arcp contract double %2, %seed
  store double %3, ptr %a.d
  br label %rev.then

rev.end.entry:
  %4 = load double, ptr %x.d
  %5 = fadd reassoc nsz arcp contract double %4, %seed
  store double %5, ptr %x.d
  br label %rev.entry

rev.inner:
  %b.adj = load double, ptr %b.d
  store double 0.000000e+00, ptr %b.d
  %a.r = fmul double %x, %y
  %6 = fmul nsz arcp contract double %b.adj, %a.r
  %7 = load double, ptr %a.d
  %8 = fadd reassoc nsz arcp contract double %7, %6
  store double %8, ptr %a.d
  %9 = fmul nsz arcp contract double %b.adj, %a.r
  %10 = load double, ptr %a.d
  %11 = fadd reassoc nsz arcp contract double %10, %9
  store double %11, ptr %a.d
  br label %rev.then

rev.then:
  %a.adj = load double, ptr %a.d
  store double 0.000000e+00, ptr %a.d
  %12 = fmul nsz arcp contract double %a.adj, %y
  %13 = load double, ptr %x.d
  %14 = fadd reassoc nsz arcp contract double %13, %12
  store double %14, ptr %x.d
  %15 = fmul nsz arcp contract double %a.adj, %x
  %16 = load double, ptr %y.d
  %17 = fadd reassoc nsz arcp contract double %16, %15
  store double %17, ptr %y.d
  br label %rev.entry

rev.entry:
  br label %rev.finish

rev.finish:
  %18 = load double, ptr %x.d
  %19 = load double, ptr %y.d
  %20 = insertvalue { double, double } undef, double %18, 0
  %21 = insertvalue { double, double } %20, double %19, 1
  ret { double, double } %21
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
