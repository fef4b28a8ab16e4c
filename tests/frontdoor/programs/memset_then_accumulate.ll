; arguments: [1.0 -2.0 0.5 4.0] [5.0 6.0]
; returns: void

declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
define void @f(ptr %x, ptr %y) {
entry:
  call void @llvm.memset.p0.i64(ptr align 8 %y, i8 0, i64 16, i1 false)
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr inbounds double, ptr %x, i64 %i
  %v = load double, ptr %p, align 8
  %k = and i64 %i, 1
  %q = getelementptr inbounds double, ptr %y, i64 %k
  %o = load double, ptr %q, align 8
  %vv = fmul double %v, %v
  %s = fadd double %o, %vv
  store double %s, ptr %q, align 8
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 4
  br i1 %more, label %loop, label %end
end:
  ret void
}

declare void @__enzyme_autodiff(ptr, ...)
declare void @__enzyme_fwddiff(ptr, ...)

define void @reverse(ptr %a0, ptr %d0, ptr %a1, ptr %d1, ptr %result) {
  call void (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %a0, ptr %d0, ptr %a1, ptr %d1)
  ret void
}

define void @forward(ptr %a0, ptr %d0, ptr %a1, ptr %d1, ptr %result) {
  call void (ptr, ...) @__enzyme_fwddiff(ptr @f, ptr %a0, ptr %d0, ptr %a1, ptr %d1)
  ret void
}
