
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

define { double } @grad.f(ptr %x, ptr %x.d, double %y, double %seed) nounwind {
entry:
  %a.c = alloca double
  %primal.result = alloca double
  %y.d = alloca double
  %a = load double, ptr %x, !alias.scope !4, !noalias !5
  store double %a, ptr %a.c
  call void @llvm.memset.p0.i64(ptr %x, i8 0, i64 16, i1 false)
  %b = load double, ptr %x, !alias.scope !4, !noalias !5
  %c = fadd double %b, %y
  store double %c, ptr %x, !alias.scope !4, !noalias !5
  %r = fmul double %a, %y
  store double %r, ptr %primal.result
  br label %rev.entry

rev.entry:
  store double 0.000000e+00, ptr %y.d
  %0 = fmul nsz arcp contract double %seed, %y
  %a.l = load double, ptr %a.c
  %1 = fmul nsz arcp contract double %seed, %a.l
  %2 = load double, ptr %y.d
  %3 = fadd reassoc nsz arcp contract double %2, %1
  store double %3, ptr %y.d
  %4 = load double, ptr %x.d, align 8, !alias.scope !8, !noalias !9
  store double 0.000000e+00, ptr %x.d, align 8, !alias.scope !8, !noalias !9
  %5 = load double, ptr %y.d
  %6 = fadd reassoc nsz arcp contract double %5, %4
  store double %6, ptr %y.d
  %7 = load double, ptr %x.d, align 8, !alias.scope !8, !noalias !9
  %8 = fadd reassoc nsz arcp contract double %7, %4
  store double %8, ptr %x.d, align 8, !alias.scope !8, !noalias !9
  call void @llvm.memset.p0.i64(ptr %x.d, i8 0, i64 16, i1 false)
  %9 = load double, ptr %x.d, align 8, !alias.scope !8, !noalias !9
  %10 = fadd reassoc nsz arcp contract double %9, %0
  store double %10, ptr %x.d, align 8, !alias.scope !8, !noalias !9
  br label %rev.finish

rev.finish:
  %11 = load double, ptr %y.d
  %12 = insertvalue { double } undef, double %11, 0
  ret { double } %12
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
