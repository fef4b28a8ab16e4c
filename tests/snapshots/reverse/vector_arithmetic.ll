
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

define void @grad.f(ptr %x, ptr %x.d, ptr %y, ptr %y.d) nounwind "reciprocal-estimates"="none" {
entry:
  %b.c = alloca <2 x double>
  %r.c = alloca <2 x double>
  %a = load <2 x double>, ptr %x, !alias.scope !6, !noalias !7
  %b = load <2 x double>, ptr %y, !alias.scope !8, !noalias !9
  store <2 x double> %b, ptr %b.c
  %m = fmul <2 x double> %a, %b
  %s = fadd <2 x double> %m, <double 20.0, double 20.0>
  %r = call <2 x double> @llvm.sqrt.v2f64(<2 x double> %s)
  store <2 x double> %r, ptr %r.c
  store <2 x double> %r, ptr %y, !alias.scope !8, !noalias !9
  br label %rev.entry

rev.entry:
  %0 = load <2 x double>, ptr %y.d, align 8, !alias.scope !10, !noalias !11
  store <2 x double> zeroinitializer, ptr %y.d, align 8, !alias.scope !10, !noalias !11
  %a.r = load <2 x double>, ptr %x, !alias.scope !6, !noalias !7
  %b.l = load <2 x double>, ptr %b.c
  %m.r = fmul <2 x double> %a.r, %b.l
  %s.r = fadd <2 x double> %m.r, <double 20.0, double 20.0>
  %1 = fcmp ueq <2 x double> %s.r, splat (double 0x0000000000000000)
  %2 = fmul nsz arcp contract <2 x double> %0, splat (double 0x3FE0000000000000)
  %r.l = load <2 x double>, ptr %r.c
  %3 = fdiv nsz arcp contract <2 x double> %2, %r.l
  %4 = select <2 x i1> %1, <2 x double> splat (double 0x0000000000000000), <2 x double> %3
  %5 = fcmp oeq <2 x double> %0, splat (double 0x0000000000000000)
  %6 = select <2 x i1> %5, <2 x double> zeroinitializer, <2 x double> %4
  %7 = fmul nsz arcp contract <2 x double> %6, %b.l
  %8 = fmul nsz arcp contract <2 x double> %6, %a.r
  %9 = load <2 x double>, ptr %y.d, align 8, !alias.scope !10, !noalias !11
  %10 = fadd reassoc nsz arcp contract <2 x double> %9, %8
  store <2 x double> %10, ptr %y.d, align 8, !alias.scope !10, !noalias !11
  %11 = load <2 x double>, ptr %x.d, align 8, !alias.scope !12, !noalias !13
  %12 = fadd reassoc nsz arcp contract <2 x double> %11, %7
  store <2 x double> %12, ptr %x.d, align 8, !alias.scope !12, !noalias !13
  br label %rev.finish

rev.finish:
  ret void
}


!20 = !{}
!0 = distinct !{!0, !"grad.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"primal 1"}
!4 = distinct !{!4, !0, !"shadow 0 0"}
!5 = distinct !{!5, !0, !"shadow 0 1"}
!6 = !{!2}
!7 = !{!1, !3, !4, !5}
!8 = !{!3}
!9 = !{!1, !2, !4, !5}
!10 = !{!5}
!11 = !{!1, !2, !3, !4}
!12 = !{!4}
!13 = !{!1, !2, !3, !5}
