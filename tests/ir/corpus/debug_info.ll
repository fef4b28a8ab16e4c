define double @f(double %x, i64 %n) !dbg !4 {
  %a = alloca i64, align 8
    #dbg_value(double %x, !9, !DIExpression(), !10)
    #dbg_declare(ptr %a, !11, !DIExpression(DW_OP_plus_uconst, 8), !10)
  %y = fadd double %x, 1.0, !dbg !12
    #dbg_value(double %y, !9, !DIExpression(), !10)
    #dbg_value(i32 0, !9, !DIExpression(), !10)
    #dbg_value(double poison, !9, !DIExpression(), !10)
    #dbg_value(!DIArgList(i64 %n, double %y), !11, !DIExpression(DW_OP_LLVM_arg, 0, DW_OP_LLVM_arg, 1, DW_OP_plus, DW_OP_stack_value), !10)
    #dbg_label(!13, !10)
    #dbg_assign(i64 %n, !11, !DIExpression(), !14, ptr %a, !DIExpression(), !10)
  store i64 %n, ptr %a, align 8, !DIAssignID !14, !dbg !12
    #dbg_value(!15, !11, !DIExpression(), !10)
  ret double %y, !dbg !12
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!3}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, producer: "numba", isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug)
!1 = !DIFile(filename: "a \22b\22.py", directory: "/tmp")
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = distinct !DISubprogram(name: "f", linkageName: "f", scope: !1, file: !1, line: 3, type: !5, isLocal: false, isDefinition: true, scopeLine: 3, unit: !0, retainedNodes: !2)
!2 = !{}
!5 = !DISubroutineType(types: !6)
!6 = !{!7, !7}
!7 = !DIBasicType(name: "double", size: 64, encoding: DW_ATE_float)
!8 = !DIBasicType(name: "int", size: 64, encoding: DW_ATE_signed)
!9 = !DILocalVariable(name: "x", arg: 1, scope: !4, file: !1, line: 3, type: !7)
!10 = !DILocation(line: 3, column: 1, scope: !4)
!11 = !DILocalVariable(name: "n", scope: !4, file: !1, line: 3, type: !8)
!12 = !DILocation(line: 4, column: 5, scope: !4)
!13 = !DILabel(scope: !4, name: "l", file: !1, line: 5)
!14 = distinct !DIAssignID()
!15 = !{}
