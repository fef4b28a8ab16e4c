; Two ways to one phi.
; arguments: 1.5
; returns: double
declare double @llvm.sin.f64(double)
define double @f(double %x) {
entry:
  %c = fcmp ogt double %x, 1.0
  br i1 %c, label %then, label %else
then:
  %a = fmul double %x, %x
  br label %end
else:
  %b = call double @llvm.sin.f64(double %x)
  br label %end
end:
  %r = phi double [ %a, %then ], [ %b, %else ]
  ret double %r
}
