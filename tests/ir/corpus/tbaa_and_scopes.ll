define double @f(ptr noalias %p, ptr %q) {
  %1 = load double, ptr %p, align 8, !tbaa !0, !alias.scope !3, !noalias !6
  store double %1, ptr %q, align 8, !tbaa !0, !noalias !3, !alias.scope !6
  %2 = load ptr, ptr %q, align 8, !nonnull !8, !dereferenceable !9, !align !10, !noundef !8
  %3 = load i32, ptr %2, align 4, !range !11
  %4 = fdiv double %1, 3.0, !fpmath !12
  br label %loop
loop:
  br i1 undef, label %loop, label %end, !llvm.loop !13
end:
  ret double %4
}
!0 = !{!1, !1, i64 0}
!1 = !{!"double", !2, i64 0}
!2 = !{!"root"}
!3 = !{!4}
!4 = distinct !{!4, !5, !"f: %p"}
!5 = distinct !{!5, !"f"}
!6 = !{!7}
!7 = distinct !{!7, !5, !"f: %q"}
!8 = !{}
!9 = !{i64 8}
!10 = !{i64 8}
!11 = !{i32 0, i32 10}
!12 = !{float 2.5}
!13 = distinct !{!13, !14, !15}
!14 = !{!"llvm.loop.mustprogress"}
!15 = !{!"llvm.loop.unroll.count", i32 4}
