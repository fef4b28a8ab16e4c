define double @f(i1 %c, double %x, ptr %p) {
entry:
  br i1 %c, label %a, label %b
a:
  br label %m
b:
  br label %m
m:
  %1 = phi double [ 1.000000e+00, %a ], [ %x, %b ]
  %2 = phi fast double [ %x, %a ], [ 0.0, %b ]
  %3 = phi ptr [ null, %a ], [ %p, %b ], !foo !0
  %4 = phi <2 x double> [ zeroinitializer, %a ], [ splat (double 1.0), %b ]
  %5 = phi { i8, i8 } [ { i8 1, i8 2 }, %b ], [ poison, %a ]
  %6 = phi i1 [ true, %a ], [ false, %b ]
  %7 = select fast i1 %6, double %1, double %2
  %8 = select i1 %6, ptr %3, ptr null, !prof !1
  ret double %7
}
!0 = !{}
!1 = !{!"branch_weights", i32 1, i32 1}
