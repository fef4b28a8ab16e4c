; Two functions that call each other.
; arguments: 1.5 i64:3
; returns: double
define internal double @even(double %x, i64 %n) {
entry:
  %last = icmp slt i64 %n, 1
  br i1 %last, label %end, label %more
more:
  %less = sub i64 %n, 1
  %y = call double @odd(double %x, i64 %less)
  %m = fmul double %y, %x
  br label %end
end:
  %r = phi double [ 1.0, %entry ], [ %m, %more ]
  ret double %r
}
define internal double @odd(double %x, i64 %n) {
entry:
  %last = icmp slt i64 %n, 1
  br i1 %last, label %end, label %more
more:
  %less = sub i64 %n, 1
  %y = call double @even(double %x, i64 %less)
  %m = fadd double %y, %x
  br label %end
end:
  %r = phi double [ 2.0, %entry ], [ %m, %more ]
  ret double %r
}
define double @f(double %x, i64 %n) {
entry:
  %r = call double @even(double %x, i64 %n)
  ret double %r
}
