
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

define { double } @grad.f(double %x, double %seed) nounwind "reciprocal-estimates"="none" {
entry:
  %arena = alloca { ptr, ptr, i64, i64, i64, i64, i64 }
  store { ptr, ptr, i64, i64, i64, i64, i64 } zeroinitializer, ptr %arena
  %p.d.c = alloca ptr
  %c.c = alloca double
  %a.c = alloca double
  %p = call ptr @malloc(i64 16)
  %p.d = call ptr @malloc(i64 16)
  %0 = icmp eq ptr %p.d, null
  br i1 %0, label %no.memory, label %entry.kept

entry.kept:
  store ptr %p.d, ptr %p.d.c
  call void @llvm.memset.p0.i64(ptr %p.d, i8 0, i64 16, i1 false)
  %q = getelementptr double, ptr %p, i64 1
  %q.d = getelementptr double, ptr %p.d, i64 1
  store double %x, ptr %p, !alias.scope !4, !noalias !5
  %a = load double, ptr %p, !alias.scope !4, !noalias !5
  store double %a, ptr %a.c
  %b = fmul double %a, %a
  store double %b, ptr %q, !alias.scope !4, !noalias !5
  %c = load double, ptr %q, !alias.scope !4, !noalias !5
  store double %c, ptr %c.c
  call void @enzyme_hold(ptr %arena, ptr %p, i64 2)
  call void @enzyme_hold(ptr %arena, ptr %p.d, i64 2)
  %r = fmul double %c, %a
  br label %rev.entry

rev.entry:
  %a.l = load double, ptr %a.c
  %1 = fmul nsz arcp contract double %seed, %a.l
  %c.l = load double, ptr %c.c
  %2 = fmul nsz arcp contract double %seed, %c.l
  %p.d.l = load ptr, ptr %p.d.c
  %q.d.r = getelementptr double, ptr %p.d.l, i64 1
  %3 = load double, ptr %q.d.r, align 8, !alias.scope !6, !noalias !7
  %4 = fadd reassoc nsz arcp contract double %3, %1
  store double %4, ptr %q.d.r, align 8, !alias.scope !6, !noalias !7
  %5 = load double, ptr %q.d.r, align 8, !alias.scope !6, !noalias !7
  store double 0.000000e+00, ptr %q.d.r, align 8, !alias.scope !6, !noalias !7
  %6 = fadd reassoc nsz arcp contract double %a.l, %a.l
  %7 = fmul nsz arcp contract double %5, %6
  %8 = fadd reassoc nsz arcp contract double %2, %7
  %9 = load double, ptr %p.d.l, align 8, !alias.scope !6, !noalias !7
  %10 = fadd reassoc nsz arcp contract double %9, %8
  store double %10, ptr %p.d.l, align 8, !alias.scope !6, !noalias !7
  %11 = load double, ptr %p.d.l, align 8, !alias.scope !6, !noalias !7
  store double 0.000000e+00, ptr %p.d.l, align 8, !alias.scope !6, !noalias !7
  br label %rev.finish

rev.finish:
  call void @enzyme_release(ptr %arena, i1 false)
  %12 = insertvalue { double } undef, double %11, 0
  ret { double } %12

no.memory:
  call void @enzyme_release(ptr %arena, i1 true)
  call void @abort()
  unreachable
}

declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

declare void @enzyme_hold(ptr, ptr, i64) nounwind

declare void @enzyme_release(ptr, i1) nounwind

declare void @abort()


!14 = !{}
!0 = distinct !{!0, !"grad.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
!4 = !{!2}
!5 = !{!1, !3}
!6 = !{!3}
!7 = !{!1, !2}
