; Collatz: the control is in integers
; arguments: 1.01 i64:27
; returns: double

define double @f(double %x, i64 %n) {
entry:
  br label %loop
loop:
  %k = phi i64 [ %n, %entry ], [ %m, %join ]
  %s = phi double [ %x, %entry ], [ %t, %join ]
  %bit = and i64 %k, 1
  %odd = icmp ne i64 %bit, 0
  br i1 %odd, label %up, label %down
up:
  %k3 = mul i64 %k, 3
  %k31 = add i64 %k3, 1
  %a = fmul double %s, %x
  br label %join
down:
  %h = lshr i64 %k, 1
  %b = fadd double %s, 1.562500e-02
  br label %join
join:
  %m = phi i64 [ %k31, %up ], [ %h, %down ]
  %t = phi double [ %a, %up ], [ %b, %down ]
  %done = icmp eq i64 %m, 1
  br i1 %done, label %end, label %loop
end:
  ret double %t
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
