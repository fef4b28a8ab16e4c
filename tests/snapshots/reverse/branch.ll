
declare double @llvm.sin.f64(double)

define double @f(double %x) {
entry:
  %c = fcmp ogt double %x, 1.0
  br i1 %c, label %then, label %else

then:
  %a = fmul double %x, %x
  br label %end

else:
  %b = call double @llvm.sin.f64(double %x)
  br label %end

end:
  %r = phi double [ %a, %then ], [ %b, %else ]
  ret double %r
}

define { double } @grad.f(double %x, double %seed) nounwind {
entry:
  %primal.result = alloca double
  %a.d = alloca double
  %b.d = alloca double
  %x.d = alloca double
  %c = fcmp ogt double %x, 1.0
  br i1 %c, label %then, label %else

then:
  %a = fmul double %x, %x
  br label %end

else:
  %b = call double @llvm.sin.f64(double %x)
  br label %end

end:
  %r = phi double [ %a, %then ], [ %b, %else ]
  store double %r, ptr %primal.result
  br label %rev.end

rev.end:
  store double 0.000000e+00, ptr %x.d
  %c.r = fcmp ogt double %x, 1.0
  br i1 %c.r, label %rev.end.then, label %rev.end.else

rev.end.else:
  store double 0.000000e+00, ptr %b.d
  %0 = load double, ptr %b.d
  %1 = fadd reassoc nsz arcp contract double %0, %seed
  store double %1, ptr %b.d
  br label %rev.else

rev.end.then:
  store double 0.000000e+00, ptr %a.d
  %2 = load double, ptr %a.d
  %3 = fadd reassoc nsz arcp contract double %2, %seed
  store double %3, ptr %a.d
  br label %rev.then

rev.else:
  %b.adj = load double, ptr %b.d
  store double 0.000000e+00, ptr %b.d
  %4 = call nsz arcp contract double @llvm.cos.f64(double %x)
  %5 = fmul nsz arcp contract double %b.adj, %4
  %6 = load double, ptr %x.d
  %7 = fadd reassoc nsz arcp contract double %6, %5
  store double %7, ptr %x.d
  br label %rev.entry

rev.then:
  %a.adj = load double, ptr %a.d
  store double 0.000000e+00, ptr %a.d
  %8 = fmul nsz arcp contract double %a.adj, %x
  %9 = load double, ptr %x.d
  %10 = fadd reassoc nsz arcp contract double %9, %8
  store double %10, ptr %x.d
  %11 = fmul nsz arcp contract double %a.adj, %x
  %12 = load double, ptr %x.d
  %13 = fadd reassoc nsz arcp contract double %12, %11
  store double %13, ptr %x.d
  br label %rev.entry

rev.entry:
  br label %rev.finish

rev.finish:
  %14 = load double, ptr %x.d
  %15 = insertvalue { double } undef, double %14, 0
  ret { double } %15
}

declare double @llvm.cos.f64(double)


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
