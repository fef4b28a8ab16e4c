
declare double @llvm.sin.f64(double)

define internal double @g(double %x) {
entry:
  %s = call double @llvm.sin.f64(double %x)
  %r = fmul double %s, %x
  ret double %r
}

define double @f(double %x, i64 %n) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s = phi double [ %x, %entry ], [ %s.next, %loop ]
  %s.next = call double @g(double %s)
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop

end:
  %r = phi double [ %s.next, %loop ]
  ret double %r
}

define { double } @fwd.f(double %x, double %x.d, i64 %n) nounwind "reciprocal-estimates"="none" {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop.kept ]
  %s = phi double [ %x, %entry ], [ %s.next.1, %loop.kept ]
  %s.t = phi double [ %x.d, %entry ], [ %s.next.t, %loop.kept ]
  %s.next = call { double, double, i1 } @fwd.g(double %s, double %s.t)
  %s.next.short = extractvalue { double, double, i1 } %s.next, 2
  br i1 %s.next.short, label %no.memory, label %loop.kept

loop.kept:
  %s.next.1 = extractvalue { double, double, i1 } %s.next, 0
  %s.next.t = extractvalue { double, double, i1 } %s.next, 1
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop

end:
  %r = phi double [ %s.next.1, %loop.kept ]
  %r.t = phi double [ %s.next.t, %loop.kept ]
  %0 = insertvalue { double } undef, double %r.t, 0
  ret { double } %0

no.memory:
  call void @abort()
  unreachable
}

define internal { double, double, i1 } @fwd.g(double %x, double %x.d) nounwind "reciprocal-estimates"="none" {
entry:
  %s = call double @llvm.sin.f64(double %x)
  %0 = call double @llvm.cos.f64(double %x)
  %1 = fmul double %x.d, %0
  %2 = call double @llvm.cos.f64(double %x)
  %3 = call double @enzyme.either_zero.f64(double %x.d, double %2, double %1)
  %r = fmul double %s, %x
  %4 = fmul double %3, %x
  %5 = fcmp oeq double %3, 0x0000000000000000
  %6 = select i1 %5, double 0.000000e+00, double %4
  %7 = fmul double %x.d, %s
  %8 = call double @enzyme.either_zero.f64(double %x.d, double %s, double %7)
  %9 = fadd double %6, %8
  %10 = insertvalue { double, double, i1 } undef, double %r, 0
  %11 = insertvalue { double, double, i1 } %10, double %9, 1
  %12 = insertvalue { double, double, i1 } %11, i1 false, 2
  ret { double, double, i1 } %12
}

declare double @llvm.cos.f64(double)

define internal double @enzyme.either_zero.f64(double %0, double %1, double %2) nounwind willreturn memory(none) alwaysinline {
entry:
  %3 = fcmp oeq double %1, 0x0000000000000000
  %4 = select i1 %3, double 0x0000000000000000, double %2
  %5 = fcmp uno double %2, %2
  %6 = select i1 %5, double %4, double %2
  %7 = fcmp oeq double %0, 0x0000000000000000
  %8 = select i1 %7, double 0.000000e+00, double %6
  ret double %8
}

declare void @abort()


!14 = !{}
!0 = distinct !{!0, !"fwd.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
!29 = !{}
!15 = distinct !{!15, !"fwd.g"}
!16 = distinct !{!16, !15, !"cache"}
!17 = distinct !{!17, !15, !"primal 0"}
!18 = distinct !{!18, !15, !"shadow 0 0"}
