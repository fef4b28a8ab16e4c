; a local array of variable length in which only sums arrive
; arguments: 0.7 i32:4
; returns: double

declare double @sin(double)
define double @f(double %x, i32 %m) {
  %n = zext i32 %m to i64
  %a = alloca double, i64 %n, align 16
  br label %fill
fill:
  %k = phi i64 [ 0, %0 ], [ %k1, %fill ]
  %w = sitofp i64 %k to double
  %wx = fmul double %w, %x
  %s = call double @sin(double %wx)
  %q = getelementptr double, ptr %a, i64 %k
  store double %s, ptr %q
  %k1 = add i64 %k, 1
  %more = icmp ne i64 %k1, %n
  br i1 %more, label %fill, label %sum
sum:
  %i = phi i64 [ 0, %fill ], [ %i1, %sum ]
  %t = phi double [ 0.0, %fill ], [ %u, %sum ]
  %p = getelementptr double, ptr %a, i64 %i
  %v = load double, ptr %p
  %vv = fmul double %v, %v
  %u = fadd double %t, %vv
  %i1 = add i64 %i, 1
  %end = icmp eq i64 %i1, %n
  br i1 %end, label %done, label %sum
done:
  ret double %u
}

declare double @__enzyme_autodiff(ptr, ...)
declare double @__enzyme_fwddiff(ptr, ...)

define void @reverse(double %a0, i32 %a1, ptr %result) {
  %r = call double (ptr, ...) @__enzyme_autodiff(ptr @f, double %a0, i32 %a1)
  store double %r, ptr %result, align 4
  ret void
}

define void @forward(double %a0, double %d0, i32 %a1, ptr %result) {
  %r = call double (ptr, ...) @__enzyme_fwddiff(ptr @f, double %a0, double %d0, i32 %a1)
  store double %r, ptr %result, align 4
  ret void
}
