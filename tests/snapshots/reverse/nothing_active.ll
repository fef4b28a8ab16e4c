
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

define { double } @grad.f(double %x, i64 %n, double %seed) nounwind "reciprocal-estimates"="none" {
entry:
  %factor.c = alloca double
  br label %loop

loop:
  %k = phi i64 [ %n, %entry ], [ %k.next, %loop ]
  %bits = phi i64 [ 0, %entry ], [ %bits.next, %loop ]
  %bits.next = add i64 %bits, 1
  %k.next = lshr i64 %k, 1
  %done = icmp eq i64 %k.next, 0
  br i1 %done, label %end, label %loop

end:
  %loop.trips = phi i64 [ %bits, %loop ]
  %count = phi i64 [ %bits.next, %loop ]
  %factor = uitofp i64 %count to double
  store double %factor, ptr %factor.c
  %r = fmul double %x, %factor
  br label %rev.end

rev.end:
  %factor.l = load double, ptr %factor.c
  %0 = fmul nsz arcp contract double %seed, %factor.l
  br label %rev.entry

rev.loop:
  unreachable

rev.entry:
  br label %rev.finish

rev.finish:
  %1 = insertvalue { double } undef, double %0, 0
  ret { double } %1
}


!14 = !{}
!0 = distinct !{!0, !"grad.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
