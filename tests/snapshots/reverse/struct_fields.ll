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

define void @grad.f(ptr %x, ptr %x.d, double %seed) nounwind "reciprocal-estimates"="none" {
entry:
  %py = getelementptr %point, ptr %x, i64 0, i32 1
  %py.d = getelementptr %point, ptr %x.d, i64 0, i32 1
  %pz = getelementptr %point, ptr %x, i64 0, i32 2
  %pz.d = getelementptr %point, ptr %x.d, i64 0, i32 2
  %a = load double, ptr %x, !alias.scope !4, !noalias !5
  %b = load double, ptr %py, !alias.scope !4, !noalias !5
  %m = fmul double %a, %b
  store double %m, ptr %pz, !alias.scope !4, !noalias !5
  br label %rev.entry

rev.entry:
  %pz.d.r = getelementptr %point, ptr %x.d, i64 0, i32 2
  %0 = load double, ptr %pz.d.r, align 8, !alias.scope !6, !noalias !7
  store double 0.000000e+00, ptr %pz.d.r, align 8, !alias.scope !6, !noalias !7
  %1 = fadd reassoc nsz arcp contract double %seed, %0
  %py.r = getelementptr %point, ptr %x, i64 0, i32 1
  %b.r = load double, ptr %py.r, !alias.scope !4, !noalias !5
  %2 = fmul nsz arcp contract double %1, %b.r
  %a.r = load double, ptr %x, !alias.scope !4, !noalias !5
  %3 = fmul nsz arcp contract double %1, %a.r
  %py.d.r = getelementptr %point, ptr %x.d, i64 0, i32 1
  %4 = load double, ptr %py.d.r, align 8, !alias.scope !6, !noalias !7
  %5 = fadd reassoc nsz arcp contract double %4, %3
  store double %5, ptr %py.d.r, align 8, !alias.scope !6, !noalias !7
  %6 = load double, ptr %x.d, align 8, !alias.scope !6, !noalias !7
  %7 = fadd reassoc nsz arcp contract double %6, %2
  store double %7, ptr %x.d, align 8, !alias.scope !6, !noalias !7
  br label %rev.finish

rev.finish:
  ret void
}


!14 = !{}
!0 = distinct !{!0, !"grad.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
!4 = !{!2}
!5 = !{!1, !3}
!6 = !{!3}
!7 = !{!1, !2}
