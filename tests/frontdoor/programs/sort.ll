; insertion sort
; arguments: [1.5 -2.0 0.5 3.0 -1.0] i64:5
; returns: void

define void @f(ptr %x, i64 %n) {
entry:
  br label %outer
outer:
  %i = phi i64 [ 1, %entry ], [ %i1, %outer.latch ]
  %p = getelementptr inbounds double, ptr %x, i64 %i
  %key = load double, ptr %p, align 8
  br label %inner
inner:
  %j = phi i64 [ %i, %outer ], [ %j0, %move ]
  %first = icmp eq i64 %j, 0
  br i1 %first, label %outer.latch, label %test
test:
  %j0 = add nsw i64 %j, -1
  %q = getelementptr inbounds double, ptr %x, i64 %j0
  %v = load double, ptr %q, align 8
  %bigger = fcmp ogt double %v, %key
  br i1 %bigger, label %move, label %outer.latch
move:
  %r = getelementptr inbounds double, ptr %x, i64 %j
  store double %v, ptr %r, align 8
  br label %inner
outer.latch:
  %h = phi i64 [ 0, %inner ], [ %j, %test ]
  %w = getelementptr inbounds double, ptr %x, i64 %h
  store double %key, ptr %w, align 8
  %i1 = add nuw nsw i64 %i, 1
  %im = icmp slt i64 %i1, %n
  br i1 %im, label %outer, label %end
end:
  ret void
}

declare void @__enzyme_autodiff(ptr, ...)
declare void @__enzyme_fwddiff(ptr, ...)

define void @reverse(ptr %a0, ptr %d0, i64 %a1, ptr %result) {
  call void (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %a0, ptr %d0, i64 %a1)
  ret void
}

define void @forward(ptr %a0, ptr %d0, i64 %a1, ptr %result) {
  call void (ptr, ...) @__enzyme_fwddiff(ptr @f, ptr %a0, ptr %d0, i64 %a1)
  ret void
}
