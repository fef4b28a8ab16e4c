; A path that never comes back is not differentiated.
; arguments: 1.5
; returns: double
declare void @abort()
define double @f(double %x) {
entry:
  %c = fcmp olt double %x, 0.0
  br i1 %c, label %bad, label %good
bad:
  call void @abort()
  unreachable
good:
  %r = fmul double %x, %x
  ret double %r
}
