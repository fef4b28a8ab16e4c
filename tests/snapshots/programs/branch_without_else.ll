; One side goes straight on.
; arguments: 1.5
; returns: double
define double @f(double %x) {
entry:
  %c = fcmp ogt double %x, 1.0
  br i1 %c, label %then, label %end
then:
  %a = fmul double %x, %x
  br label %end
end:
  %r = phi double [ %a, %then ], [ %x, %entry ]
  ret double %r
}
