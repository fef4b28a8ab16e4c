; Work on integers beside one product.
; arguments: 1.5 i64:4
; returns: double
define double @f(double %x, i64 %n) {
entry:
  br label %loop
loop:
  %k = phi i64 [ %n, %entry ], [ %k.next, %loop ]
  %bits = phi i64 [ 0, %entry ], [ %bits.next, %loop ]
  %bits.next = add i64 %bits, 1
  %k.next = lshr i64 %k, 1
  %done = icmp eq i64 %k.next, 0
  br i1 %done, label %end, label %loop
end:
  %count = phi i64 [ %bits.next, %loop ]
  %factor = uitofp i64 %count to double
  %r = fmul double %x, %factor
  ret double %r
}
