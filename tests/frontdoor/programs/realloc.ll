; arguments: 1.5 i64:4
; returns: double

declare noalias ptr @realloc(ptr, i64)
declare noalias ptr @malloc(i64)
declare void @free(ptr)
define double @f(double %x, i64 %n) {
entry:
  %t0 = call noalias ptr @malloc(i64 8)
  store double %x, ptr %t0, align 8
  br label %loop
loop:
  %i = phi i64 [ 1, %entry ], [ %i1, %loop ]
  %t = phi ptr [ %t0, %entry ], [ %t1, %loop ]
  %i1 = add nuw nsw i64 %i, 1
  %size = shl i64 %i1, 3
  %t1 = call noalias ptr @realloc(ptr %t, i64 %size)
  %im = add nsw i64 %i, -1
  %pm = getelementptr inbounds double, ptr %t1, i64 %im
  %v = load double, ptr %pm, align 8
  %w = fmul double %v, %x
  %p = getelementptr inbounds double, ptr %t1, i64 %i
  store double %w, ptr %p, align 8
  %more = icmp slt i64 %i1, %n
  br i1 %more, label %loop, label %end
end:
  %l = load double, ptr %p, align 8
  call void @free(ptr %t1)
  ret double %l
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
