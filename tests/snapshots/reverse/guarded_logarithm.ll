
declare double @llvm.log.f64(double)

define double @f(double %x) {
entry:
  %c = fcmp ogt double %x, 0.0
  %l = call double @llvm.log.f64(double %x)
  %r = select i1 %c, double %l, double 0.0
  ret double %r
}

define { double } @grad.f(double %x, double %seed) nounwind {
entry:
  %primal.result = alloca double
  %l.d = alloca double
  %x.d = alloca double
  %c = fcmp ogt double %x, 0.0
  br i1 %c, label %entry.then, label %entry.else

entry.else:
  br label %entry.join

entry.then:
  %l = call double @llvm.log.f64(double %x)
  br label %entry.join

entry.join:
  %r = phi double [ %l, %entry.then ], [ 0.0, %entry.else ]
  store double %r, ptr %primal.result
  br label %rev.entry.join

rev.entry.join:
  store double 0.000000e+00, ptr %x.d
  %c.r = fcmp ogt double %x, 0.0
  br i1 %c.r, label %rev.entry.join.entry.then, label %rev.entry.else

rev.entry.join.entry.then:
  store double 0.000000e+00, ptr %l.d
  %0 = load double, ptr %l.d
  %1 = fadd reassoc nsz arcp contract double %0, %seed
  store double %1, ptr %l.d
  br label %rev.entry.then

rev.entry.else:
  br label %rev.entry

rev.entry.then:
  %l.adj = load double, ptr %l.d
  store double 0.000000e+00, ptr %l.d
  %2 = fdiv nsz arcp contract double %l.adj, %x
  %3 = load double, ptr %x.d
  %4 = fadd reassoc nsz arcp contract double %3, %2
  store double %4, ptr %x.d
  br label %rev.entry

rev.entry:
  br label %rev.finish

rev.finish:
  %5 = load double, ptr %x.d
  %6 = insertvalue { double } undef, double %5, 0
  ret { double } %6
}


!0 = distinct !{!0, !"grad.f"}
!1 = distinct !{!1, !0, !"primal"}
!2 = distinct !{!2, !0, !"cache"}
!3 = distinct !{!3, !0, !"shadow 0"}
!4 = !{!1}
!5 = !{!2, !3}
!6 = !{!2}
!7 = !{!1, !3}
!8 = !{!3}
!9 = !{!1, !2}
