; unoptimised code as clang -O0 writes it
; arguments: 0.7 1.9
; returns: double

define double @f(double %x, double %y) {
entry:
  %x.addr = alloca double, align 8
  %y.addr = alloca double, align 8
  %i = alloca i32, align 4
  store double %x, ptr %x.addr, align 8
  store double %y, ptr %y.addr, align 8
  store i32 0, ptr %i, align 4
  br label %cond
cond:
  %0 = load i32, ptr %i, align 4
  %cmp = icmp slt i32 %0, 4
  br i1 %cmp, label %body, label %end
body:
  %1 = load double, ptr %x.addr, align 8
  %2 = load double, ptr %y.addr, align 8
  %mul = fmul double %1, %2
  store double %mul, ptr %x.addr, align 8
  %3 = load i32, ptr %i, align 4
  %inc = add nsw i32 %3, 1
  store i32 %inc, ptr %i, align 4
  br label %cond
end:
  %4 = load double, ptr %x.addr, align 8
  ret double %4
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
