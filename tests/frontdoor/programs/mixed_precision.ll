; float32 and double together
; arguments: 1.25 f32:0.5
; returns: double

define double @f(double %x, float %y) {
  %a = fpext float %y to double
  %b = fmul double %a, %x
  %c = fmul double %b, %x
  %d = fmul float %y, %y
  %e = fpext float %d to double
  %g = fadd double %c, %e
  ret double %g
}

declare { double, float } @__enzyme_autodiff(ptr, ...)
declare double @__enzyme_fwddiff(ptr, ...)

define void @reverse(double %a0, float %a1, ptr %result) {
  %r = call { double, float } (ptr, ...) @__enzyme_autodiff(ptr @f, double %a0, float %a1)
  store { double, float } %r, ptr %result, align 4
  ret void
}

define void @forward(double %a0, double %d0, float %a1, float %d1, ptr %result) {
  %r = call double (ptr, ...) @__enzyme_fwddiff(ptr @f, double %a0, double %d0, float %a1, float %d1)
  store double %r, ptr %result, align 4
  ret void
}
