
define internal void @square(ptr %p) {
entry:
  %v = load double, ptr %p
  %q = fmul double %v, %v
  store double %q, ptr %p
  ret void
}

define double @f(ptr %x) {
entry:
  %p = getelementptr double, ptr %x, i64 1
  call void @square(ptr %x)
  call void @square(ptr %p)
  %a = load double, ptr %x
  %b = load double, ptr %p
  %r = fmul double %a, %b
  ret double %r
}

define { double } @fwd.f(ptr %x, ptr %x.d) nounwind "reciprocal-estimates"="none" {
entry:
  %p = getelementptr double, ptr %x, i64 1
  %p.d = getelementptr double, ptr %x.d, i64 1
  %0 = call { i1 } @fwd.square(ptr %x, ptr %x.d)
  %.short = extractvalue { i1 } %0, 0
  br i1 %.short, label %no.memory, label %entry.kept

entry.kept:
  %1 = call { i1 } @fwd.square(ptr %p, ptr %p.d)
  %.short.1 = extractvalue { i1 } %1, 0
  br i1 %.short.1, label %no.memory, label %entry.kept.1

entry.kept.1:
  %a = load double, ptr %x, !alias.scope !4, !noalias !5
  %a.t = load double, ptr %x.d, align 8, !alias.scope !6, !noalias !7
  %b = load double, ptr %p, !alias.scope !4, !noalias !5
  %b.t = load double, ptr %p.d, align 8, !alias.scope !6, !noalias !7
  %r = fmul double %a, %b
  %2 = fmul double %a.t, %b
  %3 = call double @enzyme.either_zero.f64(double %a.t, double %b, double %2)
  %4 = fmul double %b.t, %a
  %5 = call double @enzyme.either_zero.f64(double %b.t, double %a, double %4)
  %6 = fadd double %3, %5
  %7 = insertvalue { double } undef, double %6, 0
  ret { double } %7

no.memory:
  call void @abort()
  unreachable
}

define internal { i1 } @fwd.square(ptr %p, ptr %p.d) nounwind "reciprocal-estimates"="none" {
entry:
  %v = load double, ptr %p, !alias.scope !19, !noalias !20
  %v.t = load double, ptr %p.d, align 8, !alias.scope !21, !noalias !22
  %q = fmul double %v, %v
  %0 = fadd double %v, %v
  %1 = fmul double %v.t, %0
  %2 = fadd double %v, %v
  %3 = call double @enzyme.either_zero.f64(double %v.t, double %2, double %1)
  store double %q, ptr %p, !alias.scope !19, !noalias !20
  store double %3, ptr %p.d, align 8, !alias.scope !21, !noalias !22
  %4 = insertvalue { i1 } undef, i1 false, 0
  ret { i1 } %4
}

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
!4 = !{!2}
!5 = !{!1, !3}
!29 = !{}
!15 = distinct !{!15, !"fwd.square"}
!16 = distinct !{!16, !15, !"cache"}
!17 = distinct !{!17, !15, !"primal 0"}
!18 = distinct !{!18, !15, !"shadow 0 0"}
!19 = !{!17}
!20 = !{!16, !18}
!21 = !{!18}
!22 = !{!16, !17}
!6 = !{!3}
!7 = !{!1, !2}
