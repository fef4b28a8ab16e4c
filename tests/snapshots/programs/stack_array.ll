; An array on the stack with a recurrence in it.
; arguments: 1.5 i64:4
; returns: double
define double @f(double %x, i64 %n) {
entry:
  %a = alloca [8 x double]
  store double %x, ptr %a
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr [8 x double], ptr %a, i64 0, i64 %i
  %v = load double, ptr %p
  %m = fmul double %v, %x
  %next = add nuw nsw i64 %i, 1
  %q = getelementptr [8 x double], ptr %a, i64 0, i64 %next
  store double %m, ptr %q
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop
end:
  %last = getelementptr [8 x double], ptr %a, i64 0, i64 %n
  %r = load double, ptr %last
  ret double %r
}
