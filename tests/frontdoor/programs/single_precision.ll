; arguments: f32:1.25 f32:0.5
; returns: float

declare float @llvm.sin.f32(float)
declare float @sqrtf(float)
define float @f(float %x, float %y) {
  %s = call float @llvm.sin.f32(float %x)
  %q = call float @sqrtf(float %y)
  %a = fmul float %s, %q
  %b = fadd float %a, %x
  %c = fdiv float %b, %y
  ret float %c
}

declare { float, float } @__enzyme_autodiff(ptr, ...)
declare float @__enzyme_fwddiff(ptr, ...)

define void @reverse(float %a0, float %a1, ptr %result) {
  %r = call { float, float } (ptr, ...) @__enzyme_autodiff(ptr @f, float %a0, float %a1)
  store { float, float } %r, ptr %result, align 4
  ret void
}

define void @forward(float %a0, float %d0, float %a1, float %d1, ptr %result) {
  %r = call float (ptr, ...) @__enzyme_fwddiff(ptr @f, float %a0, float %d0, float %a1, float %d1)
  store float %r, ptr %result, align 4
  ret void
}
