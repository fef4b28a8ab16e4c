; two phis of three edges
; arguments: 1.2 -0.4 0.9
; returns: double

declare double @exp(double)
define double @f(double %x, double %y, double %z) {
entry:
  %p = fcmp ogt double %x, 1.000000e+00
  br i1 %p, label %a, label %b
a:
  %q = fcmp ogt double %y, 0.000000e+00
  br i1 %q, label %aa, label %ab
aa:
  %v1 = call double @exp(double %y)
  br label %end
ab:
  %v2 = call double @exp(double %z)
  %v2b = fmul double %v2, %y
  %r3 = fcmp ogt double %v2b, 5.000000e+00
  br i1 %r3, label %b, label %end
b:
  %w = phi double [ %x, %entry ], [ %v2b, %ab ]
  %v3 = fdiv double %w, %z
  br label %end
end:
  %m = phi double [ %v1, %aa ], [ %v2b, %ab ], [ %v3, %b ]
  %n = phi double [ %x, %aa ], [ %y, %ab ], [ %z, %b ]
  %r = fmul double %m, %n
  ret double %r
}

declare { double, double, double } @__enzyme_autodiff(ptr, ...)
declare double @__enzyme_fwddiff(ptr, ...)

define void @reverse(double %a0, double %a1, double %a2, ptr %result) {
  %r = call { double, double, double } (ptr, ...) @__enzyme_autodiff(ptr @f, double %a0, double %a1, double %a2)
  store { double, double, double } %r, ptr %result, align 4
  ret void
}

define void @forward(double %a0, double %d0, double %a1, double %d1, double %a2, double %d2, ptr %result) {
  %r = call double (ptr, ...) @__enzyme_fwddiff(ptr @f, double %a0, double %d0, double %a1, double %d1, double %a2, double %d2)
  store double %r, ptr %result, align 4
  ret void
}
