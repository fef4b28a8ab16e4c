; a path that does not return
; arguments: [1.5 -2.0] i64:2
; returns: double

declare void @abort() noreturn nounwind
define double @f(ptr %x, i64 %n) {
entry:
  %bad = icmp slt i64 %n, 1
  br i1 %bad, label %die, label %go
die:
  call void @abort()
  unreachable
go:
  %q = getelementptr inbounds double, ptr %x, i64 1
  %a = load double, ptr %x, align 8
  %b = load double, ptr %q, align 8
  %r = fmul double %a, %b
  ret double %r
}

declare void @__enzyme_autodiff(ptr, ...)
declare double @__enzyme_fwddiff(ptr, ...)

define void @reverse(ptr %a0, ptr %d0, i64 %a1, ptr %result) {
  call void (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %a0, ptr %d0, i64 %a1)
  ret void
}

define void @forward(ptr %a0, ptr %d0, i64 %a1, ptr %result) {
  %r = call double (ptr, ...) @__enzyme_fwddiff(ptr @f, ptr %a0, ptr %d0, i64 %a1)
  store double %r, ptr %result, align 4
  ret void
}
