
declare noalias ptr @malloc(i64)

declare void @free(ptr)

define double @f(double %x) {
entry:
  %p = call ptr @malloc(i64 16)
  %q = getelementptr double, ptr %p, i64 1
  store double %x, ptr %p
  %a = load double, ptr %p
  %b = fmul double %a, %a
  store double %b, ptr %q
  %c = load double, ptr %q
  call void @free(ptr %p)
  %r = fmul double %c, %a
  ret double %r
}

define { double } @fwd.f(double %x, double %x.d) nounwind "reciprocal-estimates"="none" {
entry:
  %p = call ptr @malloc(i64 16)
  %p.d = call ptr @malloc(i64 16)
  %0 = icmp eq ptr %p.d, null
  br i1 %0, label %no.memory, label %entry.kept

entry.kept:
  call void @llvm.memset.p0.i64(ptr %p.d, i8 0, i64 16, i1 false)
  %q = getelementptr double, ptr %p, i64 1
  %q.d = getelementptr double, ptr %p.d, i64 1
  store double %x, ptr %p, !alias.scope !4, !noalias !5
  store double %x.d, ptr %p.d, align 8, !alias.scope !6, !noalias !7
  %a = load double, ptr %p, !alias.scope !4, !noalias !5
  %a.t = load double, ptr %p.d, align 8, !alias.scope !6, !noalias !7
  %b = fmul double %a, %a
  %1 = fadd double %a, %a
  %2 = fmul double %a.t, %1
  store double %b, ptr %q, !alias.scope !4, !noalias !5
  store double %2, ptr %q.d, align 8, !alias.scope !6, !noalias !7
  %c = load double, ptr %q, !alias.scope !4, !noalias !5
  %c.t = load double, ptr %q.d, align 8, !alias.scope !6, !noalias !7
  call void @free(ptr %p)
  call void @free(ptr %p.d)
  %r = fmul double %c, %a
  %3 = fmul double %c.t, %a
  %4 = fmul double %a.t, %c
  %5 = fadd double %3, %4
  %6 = insertvalue { double } undef, double %5, 0
  ret { double } %6

no.memory:
  call void @abort()
  unreachable
}

declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

declare void @abort()


!14 = !{}
!0 = distinct !{!0, !"fwd.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
!4 = !{!2}
!5 = !{!1, !3}
!6 = !{!3}
!7 = !{!1, !2}
