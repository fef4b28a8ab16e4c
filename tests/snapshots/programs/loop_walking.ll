; A pointer that walks through an array, and its shadow with it.
; arguments: [1.5 2 -1] i64:3
; returns: double
define double @f(ptr %x, i64 %n) {
entry:
  %last = getelementptr double, ptr %x, i64 %n
  br label %loop
loop:
  %p = phi ptr [ %x, %entry ], [ %p.next, %loop ]
  %s = phi double [ 1.0, %entry ], [ %product, %loop ]
  %v = load double, ptr %p
  %product = fmul double %s, %v
  %p.next = getelementptr double, ptr %p, i64 1
  %done = icmp eq ptr %p.next, %last
  br i1 %done, label %end, label %loop
end:
  %r = phi double [ %product, %loop ]
  ret double %r
}
