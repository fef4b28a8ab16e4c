; arguments: 1.3 i32:13
; returns: double

define double @f(double %x, i32 %n) {
entry:
  br label %loop
loop:
  %k = phi i32 [ %n, %entry ], [ %h, %latch ]
  %b = phi double [ %x, %entry ], [ %bb, %latch ]
  %r = phi double [ 1.000000e+00, %entry ], [ %r2, %latch ]
  %z = icmp eq i32 %k, 0
  br i1 %z, label %end, label %body
body:
  %bit = and i32 %k, 1
  %odd = icmp eq i32 %bit, 1
  br i1 %odd, label %times, label %latch
times:
  %rb = fmul double %r, %b
  br label %latch
latch:
  %r2 = phi double [ %rb, %times ], [ %r, %body ]
  %bb = fmul double %b, %b
  %h = lshr i32 %k, 1
  br label %loop
end:
  ret double %r
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
