; both counts depend on the data
; arguments: 1.3 0.4
; returns: double

declare double @sin(double)
define double @f(double %x, double %y) {
entry:
  br label %outer
outer:
  %s = phi double [ %x, %entry ], [ %o, %outer.latch ]
  %big = fcmp olt double %s, 2.000000e+01
  br i1 %big, label %inner, label %end
inner:
  %u = phi double [ %s, %outer ], [ %w, %inner ]
  %su = call double @sin(double %u)
  %h = fmul double %su, %y
  %d = fadd double %u, %h
  %w = fadd double %d, 5.000000e-01
  %small = fcmp olt double %w, 4.000000e+00
  br i1 %small, label %inner, label %outer.latch
outer.latch:
  %o = fmul double %w, 1.500000e+00
  br label %outer
end:
  ret double %s
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
