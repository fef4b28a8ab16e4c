; Three ways to one phi.
; arguments: 1.5 0.5
; returns: double
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
