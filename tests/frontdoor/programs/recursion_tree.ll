; divide and conquer over an array
; arguments: [1.0 2.0 -0.5 0.25 3.0] i64:0 i64:5
; returns: double

define double @f(ptr %x, i64 %lo, i64 %hi) {
entry:
  %n = sub i64 %hi, %lo
  %one = icmp eq i64 %n, 1
  br i1 %one, label %leaf, label %split
leaf:
  %p = getelementptr inbounds double, ptr %x, i64 %lo
  %v = load double, ptr %p, align 8
  %v2 = fmul double %v, %v
  ret double %v2
split:
  %h = lshr i64 %n, 1
  %mid = add i64 %lo, %h
  %a = call double @f(ptr %x, i64 %lo, i64 %mid)
  %b = call double @f(ptr %x, i64 %mid, i64 %hi)
  %ab = fmul double %a, %b
  %s = fadd double %ab, %a
  ret double %s
}

declare void @__enzyme_autodiff(ptr, ...)
declare double @__enzyme_fwddiff(ptr, ...)

define void @reverse(ptr %a0, ptr %d0, i64 %a1, i64 %a2, ptr %result) {
  call void (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %a0, ptr %d0, i64 %a1, i64 %a2)
  ret void
}

define void @forward(ptr %a0, ptr %d0, i64 %a1, i64 %a2, ptr %result) {
  %r = call double (ptr, ...) @__enzyme_fwddiff(ptr @f, ptr %a0, ptr %d0, i64 %a1, i64 %a2)
  store double %r, ptr %result, align 4
  ret void
}
