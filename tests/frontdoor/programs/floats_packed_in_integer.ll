; arguments: f32[1.5 -2.0]
; returns: void

define void @f(ptr %x) {
  %q = getelementptr inbounds float, ptr %x, i64 1
  %a = load float, ptr %x, align 4
  %b = load float, ptr %q, align 4
  %m = fmul float %a, %b
  %i = bitcast float %m to i32
  %z = zext i32 %i to i64
  %j = bitcast float %a to i32
  %zj = zext i32 %j to i64
  %sh = shl i64 %zj, 32
  %o = or i64 %z, %sh
  store i64 %o, ptr %x, align 4
  ret void
}

declare void @__enzyme_autodiff(ptr, ...)
declare void @__enzyme_fwddiff(ptr, ...)

define void @reverse(ptr %a0, ptr %d0, ptr %result) {
  call void (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %a0, ptr %d0)
  ret void
}

define void @forward(ptr %a0, ptr %d0, ptr %result) {
  call void (ptr, ...) @__enzyme_fwddiff(ptr @f, ptr %a0, ptr %d0)
  ret void
}
