@_ZN08NumbaEnv5numba = common local_unnamed_addr global ptr null
@.const.pickledata.1 = internal constant [3 x i8] c"\80\04."
@.const.picklebuf.1 = internal constant { ptr, i32, ptr, ptr, i32 } { ptr @.const.pickledata.1, i32 3, ptr null, ptr null, i32 0 }
define i32 @_ZN8__main__1fB2v1Ed(ptr noalias writeonly captures(none) %retptr, ptr noalias writeonly captures(none) %excinfo, double %arg.x) local_unnamed_addr #0 {
entry:
  %.4 = fcmp oeq double %arg.x, 0.000000e+00
  br i1 %.4, label %B10, label %B10.endif, !prof !0
B10:                                              ; preds = %entry
  store ptr @.const.picklebuf.1, ptr %excinfo, align 8
  br label %common.ret
common.ret:                                       ; preds = %B10.endif, %B10
  %common.ret.op = phi i32 [ 1, %B10 ], [ 0, %B10.endif ]
  ret i32 %common.ret.op
B10.endif:                                        ; preds = %entry
  %.20 = fdiv double 1.000000e+00, %arg.x
  store double %.20, ptr %retptr, align 8
  br label %common.ret
}
attributes #0 = { nofree nounwind }
!0 = !{!"branch_weights", i32 1, i32 99}
