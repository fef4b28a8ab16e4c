
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

define { double } @fwd.f(double %x, double %x.d, i64 %n) nounwind "reciprocal-estimates"="none" {
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
  %0 = fmul double %x.d, %factor
  %1 = insertvalue { double } undef, double %0, 0
  ret { double } %1
}


!14 = !{}
!0 = distinct !{!0, !"fwd.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
