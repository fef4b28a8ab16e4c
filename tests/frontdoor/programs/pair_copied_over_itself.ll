; arguments: f32[1.5 2.0 -0.5 0.7]
; returns: float

define float @f(ptr %p) {
  %q = getelementptr i8, ptr %p, i64 4
  %pair = load i64, ptr %p, align 4
  store i64 %pair, ptr %q, align 4
  %p2 = getelementptr i8, ptr %p, i64 8
  %a = load float, ptr %q, align 4
  %b = load float, ptr %p2, align 4
  %c = load float, ptr %p, align 4
  %s = fmul float %a, %b
  %t = fmul float %s, %c
  store float %t, ptr %q, align 4
  ret float %t
}

declare void @__enzyme_autodiff(ptr, ...)
declare float @__enzyme_fwddiff(ptr, ...)

define void @reverse(ptr %a0, ptr %d0, ptr %result) {
  call void (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %a0, ptr %d0)
  ret void
}

define void @forward(ptr %a0, ptr %d0, ptr %result) {
  %r = call float (ptr, ...) @__enzyme_fwddiff(ptr @f, ptr %a0, ptr %d0)
  store float %r, ptr %result, align 4
  ret void
}
