; How often the loop runs depends on the values: Newton's iteration for a root, with growing storage.
; arguments: 2.0
; returns: double
declare double @llvm.fabs.f64(double)
define double @f(double %x) {
entry:
  br label %loop
loop:
  %y = phi double [ %x, %entry ], [ %better, %loop ]
  %q = fdiv double %x, %y
  %s = fadd double %y, %q
  %better = fmul double %s, 0.5
  %step = fsub double %better, %y
  %size = call double @llvm.fabs.f64(double %step)
  %more = fcmp ogt double %size, 1.0e-3
  br i1 %more, label %loop, label %end
end:
  %r = phi double [ %better, %loop ]
  ret double %r
}
