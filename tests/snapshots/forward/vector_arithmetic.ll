
declare <2 x double> @llvm.sqrt.v2f64(<2 x double>)

define void @f(ptr %x, ptr %y) {
entry:
  %a = load <2 x double>, ptr %x
  %b = load <2 x double>, ptr %y
  %m = fmul <2 x double> %a, %b
  %s = fadd <2 x double> %m, <double 20.0, double 20.0>
  %r = call <2 x double> @llvm.sqrt.v2f64(<2 x double> %s)
  store <2 x double> %r, ptr %y
  ret void
}

define void @fwd.f(ptr %x, ptr %x.d, ptr %y, ptr %y.d) nounwind "reciprocal-estimates"="none" {
entry:
  %a = load <2 x double>, ptr %x, !alias.scope !6, !noalias !7
  %a.t = load <2 x double>, ptr %x.d, align 8, !alias.scope !10, !noalias !11
  %b = load <2 x double>, ptr %y, !alias.scope !8, !noalias !9
  %b.t = load <2 x double>, ptr %y.d, align 8, !alias.scope !12, !noalias !13
  %m = fmul <2 x double> %a, %b
  %0 = fmul <2 x double> %a.t, %b
  %1 = fmul <2 x double> %b.t, %a
  %2 = fadd <2 x double> %0, %1
  %s = fadd <2 x double> %m, <double 20.0, double 20.0>
  %r = call <2 x double> @llvm.sqrt.v2f64(<2 x double> %s)
  %3 = fcmp ueq <2 x double> %s, splat (double 0x0000000000000000)
  %4 = fmul <2 x double> %2, splat (double 0x3FE0000000000000)
  %5 = fdiv <2 x double> %4, %r
  %6 = select <2 x i1> %3, <2 x double> splat (double 0x0000000000000000), <2 x double> %5
  %7 = fcmp oeq <2 x double> %2, splat (double 0x0000000000000000)
  %8 = select <2 x i1> %7, <2 x double> zeroinitializer, <2 x double> %6
  store <2 x double> %r, ptr %y, !alias.scope !8, !noalias !9
  store <2 x double> %8, ptr %y.d, align 8, !alias.scope !12, !noalias !13
  ret void
}


!20 = !{}
!0 = distinct !{!0, !"fwd.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"primal 1"}
!4 = distinct !{!4, !0, !"shadow 0 0"}
!5 = distinct !{!5, !0, !"shadow 0 1"}
!6 = !{!2}
!7 = !{!1, !3, !4, !5}
!8 = !{!3}
!9 = !{!1, !2, !4, !5}
!10 = !{!4}
!11 = !{!1, !2, !3, !5}
!12 = !{!5}
!13 = !{!1, !2, !3, !4}
