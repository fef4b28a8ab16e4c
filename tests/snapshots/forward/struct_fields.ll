%point = type { double, double, double }


define double @f(ptr %x) {
entry:
  %py = getelementptr %point, ptr %x, i64 0, i32 1
  %pz = getelementptr %point, ptr %x, i64 0, i32 2
  %a = load double, ptr %x
  %b = load double, ptr %py
  %m = fmul double %a, %b
  store double %m, ptr %pz
  ret double %m
}

define { double } @fwd.f(ptr %x, ptr %x.d) nounwind "reciprocal-estimates"="none" {
entry:
  %py = getelementptr %point, ptr %x, i64 0, i32 1
  %py.d = getelementptr %point, ptr %x.d, i64 0, i32 1
  %pz = getelementptr %point, ptr %x, i64 0, i32 2
  %pz.d = getelementptr %point, ptr %x.d, i64 0, i32 2
  %a = load double, ptr %x, !alias.scope !4, !noalias !5
  %a.t = load double, ptr %x.d, align 8, !alias.scope !6, !noalias !7
  %b = load double, ptr %py, !alias.scope !4, !noalias !5
  %b.t = load double, ptr %py.d, align 8, !alias.scope !6, !noalias !7
  %m = fmul double %a, %b
  %0 = fmul double %a.t, %b
  %1 = fmul double %b.t, %a
  %2 = fadd double %0, %1
  store double %m, ptr %pz, !alias.scope !4, !noalias !5
  store double %2, ptr %pz.d, align 8, !alias.scope !6, !noalias !7
  %3 = insertvalue { double } undef, double %2, 0
  ret { double } %3
}


!14 = !{}
!0 = distinct !{!0, !"fwd.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
!4 = !{!2}
!5 = !{!1, !3}
!6 = !{!3}
!7 = !{!1, !2}
