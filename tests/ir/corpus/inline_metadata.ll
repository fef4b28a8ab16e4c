define void @f(i32 %x) {
  %1 = add i32 %x, 1, !foo !{i32 1, !"x"}, !bar !{}
  %2 = call i32 @llvm.read_register.i32(metadata !0)
  call void @llvm.experimental.noalias.scope.decl(metadata !{!1})
  %3 = call double @llvm.experimental.constrained.fadd.f64(double 1.0, double 2.0, metadata !"round.tonearest", metadata !"fpexcept.strict") #0
  ret void
}
declare i32 @llvm.read_register.i32(metadata)
declare void @llvm.experimental.noalias.scope.decl(metadata)
declare double @llvm.experimental.constrained.fadd.f64(double, double, metadata, metadata)
attributes #0 = { strictfp }
!0 = !{!"rsp"}
!1 = distinct !{!1, !2}
!2 = distinct !{!2}
