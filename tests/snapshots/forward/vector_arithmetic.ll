
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

define void @fwd.f(ptr %x, ptr %x.d, ptr %y, ptr %y.d) nounwind {
entry:
  %a = load <2 x double>, ptr %x, !alias.scope !4, !noalias !5
  %a.t = load <2 x double>, ptr %x.d, align 8, !alias.scope !8, !noalias !9
  %b = load <2 x double>, ptr %y, !alias.scope !4, !noalias !5
  %b.t = load <2 x double>, ptr %y.d, align 8, !alias.scope !8, !noalias !9
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
  store <2 x double> %r, ptr %y, !alias.scope !4, !noalias !5
  store <2 x double> %8, ptr %y.d, align 8, !alias.scope !8, !noalias !9
  ret void
}


!0 = distinct !{!0, !"fwd.f"}
!1 = distinct !{!1, !0, !"primal"}
!2 = distinct !{!2, !0, !"cache"}
!3 = distinct !{!3, !0, !"shadow 0"}
!4 = !{!1}
!5 = !{!2, !3}
!6 = !{!2}
!7 = !{!1, !3}
!8 = !{!3}
!9 = !{!1, !2}
