; A function that calls itself.
; arguments: 1.5 i64:3
; returns: double
define double @f(double %x, i64 %n) {
entry:
  %last = icmp slt i64 %n, 1
  br i1 %last, label %end, label %more
more:
  %less = sub i64 %n, 1
  %y = call double @f(double %x, i64 %less)
  %m = fmul double %y, %x
  br label %end
end:
  %r = phi double [ 1.0, %entry ], [ %m, %more ]
  ret double %r
}
