
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

define double @f(ptr %x, double %y) {
entry:
  %a = load double, ptr %x
  call void @llvm.memset.p0.i64(ptr %x, i8 0, i64 16, i1 false)
  %b = load double, ptr %x
  %c = fadd double %b, %y
  store double %c, ptr %x
  %r = fmul double %a, %y
  ret double %r
}

define { double } @grad.f(ptr %x, ptr %x.d, double %y, double %seed) nounwind "reciprocal-estimates"="none" {
entry:
  %a.c = alloca double
  %a = load double, ptr %x, !alias.scope !4, !noalias !5
  store double %a, ptr %a.c
  call void @llvm.memset.p0.i64(ptr %x, i8 0, i64 16, i1 false)
  %b = load double, ptr %x, !alias.scope !4, !noalias !5
  %c = fadd double %b, %y
  store double %c, ptr %x, !alias.scope !4, !noalias !5
  %r = fmul double %a, %y
  br label %rev.entry

rev.entry:
  %0 = fmul nsz arcp contract double %seed, %y
  %a.l = load double, ptr %a.c
  %1 = fmul nsz arcp contract double %seed, %a.l
  %2 = load double, ptr %x.d, align 8, !alias.scope !6, !noalias !7
  %3 = fadd reassoc nsz arcp contract double %1, %2
  call void @llvm.memset.p0.i64(ptr %x.d, i8 0, i64 16, i1 false)
  %4 = load double, ptr %x.d, align 8, !alias.scope !6, !noalias !7
  %5 = fadd reassoc nsz arcp contract double %4, %0
  store double %5, ptr %x.d, align 8, !alias.scope !6, !noalias !7
  br label %rev.finish

rev.finish:
  %6 = insertvalue { double } undef, double %3, 0
  ret { double } %6
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
