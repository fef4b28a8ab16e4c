; a loop whose counter is a float
; arguments: 1.0 0.3
; returns: double

declare double @sin(double)
define internal double @rhs(double %y, double %a, double %t) {
  %s = call double @sin(double %y)
  %m = fmul double %s, %a
  %r = fsub double %t, %m
  ret double %r
}
define double @f(double %y0, double %a) {
entry:
  br label %loop
loop:
  %t = phi double [ 0.000000e+00, %entry ], [ %t1, %loop ]
  %y = phi double [ %y0, %entry ], [ %y1, %loop ]
  %k1 = call double @rhs(double %y, double %a, double %t)
  %h1 = fmul double %k1, 5.000000e-02
  %ya = fadd double %y, %h1
  %ta = fadd double %t, 5.000000e-02
  %k2 = call double @rhs(double %ya, double %a, double %ta)
  %h2 = fmul double %k2, 1.000000e-01
  %y1 = fadd double %y, %h2
  %t1 = fadd double %t, 1.000000e-01
  %more = fcmp olt double %t1, 2.050000e+00
  br i1 %more, label %loop, label %end
end:
  ret double %y1
}

declare { double, double } @__enzyme_autodiff(ptr, ...)
declare double @__enzyme_fwddiff(ptr, ...)

define void @reverse(double %a0, double %a1, ptr %result) {
  %r = call { double, double } (ptr, ...) @__enzyme_autodiff(ptr @f, double %a0, double %a1)
  store { double, double } %r, ptr %result, align 4
  ret void
}

define void @forward(double %a0, double %d0, double %a1, double %d1, ptr %result) {
  %r = call double (ptr, ...) @__enzyme_fwddiff(ptr @f, double %a0, double %d0, double %a1, double %d1)
  store double %r, ptr %result, align 4
  ret void
}
