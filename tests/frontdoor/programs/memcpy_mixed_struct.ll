; arguments: [1.5 2.0] i64:1
; returns: void

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
%s = type { i64, double }
define void @f(ptr %x, i64 %k) {
  %a = alloca %s, align 8
  %b = alloca %s, align 8
  store i64 %k, ptr %a, align 8
  %pa = getelementptr inbounds %s, ptr %a, i32 0, i32 1
  %v = load double, ptr %x, align 8
  store double %v, ptr %pa, align 8
  call void @llvm.memcpy.p0.p0.i64(ptr %b, ptr %a, i64 16, i1 false)
  %j = load i64, ptr %b, align 8
  %pb = getelementptr inbounds %s, ptr %b, i32 0, i32 1
  %w = load double, ptr %pb, align 8
  %w2 = fmul double %w, %v
  %q = getelementptr inbounds double, ptr %x, i64 %j
  store double %w2, ptr %q, align 8
  ret void
}

declare void @__enzyme_autodiff(ptr, ...)
declare void @__enzyme_fwddiff(ptr, ...)

define void @reverse(ptr %a0, ptr %d0, i64 %a1, ptr %result) {
  call void (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %a0, ptr %d0, i64 %a1)
  ret void
}

define void @forward(ptr %a0, ptr %d0, i64 %a1, ptr %result) {
  call void (ptr, ...) @__enzyme_fwddiff(ptr @f, ptr %a0, ptr %d0, i64 %a1)
  ret void
}
