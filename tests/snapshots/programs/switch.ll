; A branch of many ways.
; arguments: 1.5 i64:2
; returns: double
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
