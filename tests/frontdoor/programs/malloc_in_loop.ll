; memory taken and freed in every iteration
; arguments: 1.2 i64:3
; returns: double

declare noalias ptr @malloc(i64)
declare void @free(ptr)
define internal void @square_into(ptr %t, double %s, double %x) noinline {
  %a = fmul double %s, %x
  store double %a, ptr %t, align 8
  %q = getelementptr inbounds double, ptr %t, i64 1
  store double %s, ptr %q, align 8
  ret void
}
define double @f(double %x, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i1, %loop ]
  %s = phi double [ %x, %entry ], [ %u, %loop ]
  %t = call noalias ptr @malloc(i64 16)
  call void @square_into(ptr %t, double %s, double %x)
  %v = load double, ptr %t, align 8
  %q = getelementptr inbounds double, ptr %t, i64 1
  %w = load double, ptr %q, align 8
  %u = fmul double %v, %w
  call void @free(ptr %t)
  %i1 = add nuw nsw i64 %i, 1
  %im = icmp slt i64 %i1, %n
  br i1 %im, label %loop, label %end
end:
  ret double %u
}

declare double @__enzyme_autodiff(ptr, ...)
declare double @__enzyme_fwddiff(ptr, ...)

define void @reverse(double %a0, i64 %a1, ptr %result) {
  %r = call double (ptr, ...) @__enzyme_autodiff(ptr @f, double %a0, i64 %a1)
  store double %r, ptr %result, align 4
  ret void
}

define void @forward(double %a0, double %d0, i64 %a1, ptr %result) {
  %r = call double (ptr, ...) @__enzyme_fwddiff(ptr @f, double %a0, double %d0, i64 %a1)
  store double %r, ptr %result, align 4
  ret void
}
