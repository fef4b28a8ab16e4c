; ModuleID = '<string>'
source_filename = "<string>"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@.const.pickledata.a28de72ec969a10e8785e6b06be9fa3be19a0ae5 = internal constant [161 x i8] c"\80\04\95\96\00\00\00\00\00\00\00\8C\08builtins\94\8C\11ZeroDivisionError\94\93\94\8C\18complex division by zero\94\85\94\8C\0Bcomplex_div\94\8C?/opt/venv/lib/python3.11/site-packages/numba/cpython/numbers.py\94Mw\04\87\94\87\94."
@.const.pickledata.a28de72ec969a10e8785e6b06be9fa3be19a0ae5.sha1 = internal constant [20 x i8] c"\A2\8D\E7.\C9i\A1\0E\87\85\E6\B0k\E9\FA;\E1\9A\0A\E5"
@.const.picklebuf.a28de72ec969a10e8785e6b06be9fa3be19a0ae5 = internal constant { ptr, i32, ptr, ptr, i32 } { ptr @.const.pickledata.a28de72ec969a10e8785e6b06be9fa3be19a0ae5, i32 161, ptr @.const.pickledata.a28de72ec969a10e8785e6b06be9fa3be19a0ae5.sha1, ptr null, i32 0 }
@.const.pickledata.b28008a0f88bad5ff0f0243e84dab90cab19b366 = internal constant [69 x i8] c"\80\04\95:\00\00\00\00\00\00\00\8C\08builtins\94\8C\11ZeroDivisionError\94\93\94\8C\10division by zero\94\85\94N\87\94."
@.const.pickledata.b28008a0f88bad5ff0f0243e84dab90cab19b366.sha1 = internal constant [20 x i8] c"\B2\80\08\A0\F8\8B\AD_\F0\F0$>\84\DA\B9\0C\AB\19\B3f"
@.const.picklebuf.b28008a0f88bad5ff0f0243e84dab90cab19b366 = internal constant { ptr, i32, ptr, ptr, i32 } { ptr @.const.pickledata.b28008a0f88bad5ff0f0243e84dab90cab19b366, i32 69, ptr @.const.pickledata.b28008a0f88bad5ff0f0243e84dab90cab19b366.sha1, ptr null, i32 0 }

define range(i32 0, 2) i32 @_ZN8__main__4cplxB3v22B38c8tJTIeFIjxB2IKSgI4CrvQClQZ6FczSBAA_3dE10complex12810complex128(ptr noalias writeonly captures(none) %retptr, ptr noalias writeonly captures(none) %excinfo, double %arg.z.0, double %arg.z.1, double %arg.w.0, double %arg.w.1) local_unnamed_addr {
for.cond.preheader:
  %.46.i = fmul double %arg.z.0, %arg.w.0
  %.52.i = fmul double %arg.z.1, %arg.w.1
  %.58.i = fmul double %arg.z.0, %arg.w.1
  %.64.i = fmul double %arg.z.1, %arg.w.0
  %.70.i = fsub double %.46.i, %.52.i
  %.80.i = fadd double %.64.i, %.58.i
  %.51 = fsub double %arg.z.0, %arg.z.0
  %.52 = fcmp uno double %.51, 0.000000e+00
  %.53 = fsub double %arg.z.1, %arg.z.1
  %.54 = fcmp uno double %.53, 0.000000e+00
  br i1 %.52, label %entry.endif.thread.i, label %entry.endif.i

entry.endif.i:                                    ; preds = %for.cond.preheader
  br i1 %.54, label %for.body.endif, label %B12.i

entry.endif.thread.i:                             ; preds = %for.cond.preheader
  %.78.i = fcmp uno double %arg.z.0, 0.000000e+00
  br i1 %.78.i, label %B268.i, label %B336.i

B12.i:                                            ; preds = %entry.endif.i
  %.38.i = tail call double @llvm.cos.f64(double %arg.z.1)
  %.40.i = tail call double @llvm.sin.f64(double %arg.z.1)
  %.44.i = tail call double @llvm.exp.f64(double %arg.z.0)
  %.47.i = fmul double %.44.i, %.38.i
  %.48.i = fmul double %.44.i, %.40.i
  br label %for.body.endif

B268.i:                                           ; preds = %entry.endif.thread.i
  %.83.i = fcmp une double %arg.z.1, 0.000000e+00
  br i1 %.83.i, label %for.body.endif, label %B304.i

B304.i:                                           ; preds = %B268.i
  br label %for.body.endif

B336.i:                                           ; preds = %entry.endif.thread.i
  %.122.i = fcmp ogt double %arg.z.0, 0.000000e+00
  br i1 %.122.i, label %B348.i, label %B550.i

B348.i:                                           ; preds = %B336.i
  br i1 %.54, label %for.body.endif, label %B352.i

B352.i:                                           ; preds = %B348.i
  %.129.i = tail call double @llvm.cos.f64(double %arg.z.1)
  %.138.i = tail call double @llvm.sin.f64(double %arg.z.1)
  %.146.i = fcmp une double %.129.i, 0.000000e+00
  %.150.i = fmul double %arg.z.0, %.129.i
  %real.2.0.i = select i1 %.146.i, double %.150.i, double %.129.i
  %.164.i = fcmp une double %.138.i, 0.000000e+00
  %.168.i = fmul double %arg.z.0, %.138.i
  %imag.2.0.i = select i1 %.164.i, double %.168.i, double %.138.i
  br label %for.body.endif

B550.i:                                           ; preds = %B336.i
  br i1 %.54, label %for.body.endif, label %B554.i

B554.i:                                           ; preds = %B550.i
  %.220.i = tail call double @llvm.exp.f64(double %arg.z.0)
  %.224.i = tail call double @llvm.cos.f64(double %arg.z.1)
  %.226.i = tail call double @llvm.sin.f64(double %arg.z.1)
  %.229.i = fmul double %.220.i, %.224.i
  %.230.i = fmul double %.220.i, %.226.i
  br label %for.body.endif

common.ret:                                       ; preds = %for.end.endif.endif, %for.end.if.if
  %common.ret.op = phi i32 [ 1, %for.end.if.if ], [ 0, %for.end.endif.endif ]
  ret i32 %common.ret.op

for.body.endif:                                   ; preds = %B554.i, %B352.i, %B304.i, %B12.i, %entry.endif.i, %B268.i, %B348.i, %B550.i
  %.55.sroa.0.0 = phi double [ 0x7FF8000000000000, %entry.endif.i ], [ %arg.z.0, %B304.i ], [ %arg.z.0, %B268.i ], [ %real.2.0.i, %B352.i ], [ %arg.z.0, %B348.i ], [ %.229.i, %B554.i ], [ %.47.i, %B12.i ], [ 0.000000e+00, %B550.i ]
  %.55.sroa.9.0 = phi double [ 0x7FF8000000000000, %entry.endif.i ], [ %arg.z.1, %B304.i ], [ %arg.z.0, %B268.i ], [ %imag.2.0.i, %B352.i ], [ 0x7FF8000000000000, %B348.i ], [ %.230.i, %B554.i ], [ %.48.i, %B12.i ], [ 0.000000e+00, %B550.i ]
  %.45.i = tail call double @llvm.fabs.f64(double %arg.w.0)
  %.50.i = tail call double @llvm.fabs.f64(double %arg.w.1)
  %.56.i = fcmp ult double %.45.i, %.50.i
  br i1 %.56.i, label %B270.i, label %B132.i

B132.i:                                           ; preds = %for.body.endif
  %.59.i = fcmp oeq double %arg.w.0, 0.000000e+00
  br i1 %.59.i, label %for.end.if.if, label %B174.endif.i

B270.i:                                           ; preds = %for.body.endif
  %.132.i = fcmp ult double %.50.i, %.45.i
  br i1 %.132.i, label %for.end.endif.endif, label %B282.i

B282.i:                                           ; preds = %B270.i
  %.136.i = fcmp oeq double %arg.w.1, 0.000000e+00
  br i1 %.136.i, label %for.end.if.if, label %B282.endif.i, !prof !0

B174.endif.i:                                     ; preds = %B132.i
  %.89.i = fdiv double %arg.w.1, %arg.w.0
  %.91.i = fmul double %arg.w.1, %.89.i
  %.93.i = fadd double %arg.w.0, %.91.i
  %.98.i = fcmp oeq double %.93.i, 0.000000e+00
  br i1 %.98.i, label %for.end.if.if, label %B174.endif.endif.endif.i, !prof !0

B174.endif.endif.endif.i:                         ; preds = %B174.endif.i
  %.95.i = fmul double %.89.i, %.55.sroa.9.0
  %.97.i = fadd double %.55.sroa.0.0, %.95.i
  %.105.i = fdiv double %.97.i, %.93.i
  %.107.i = fmul double %.89.i, %.55.sroa.0.0
  %.109.i = fsub double %.55.sroa.9.0, %.107.i
  %.117.i = fdiv double %.109.i, %.93.i
  br label %for.end.endif.endif

B282.endif.i:                                     ; preds = %B282.i
  %.143.i = fdiv double %arg.w.0, %arg.w.1
  %.145.i = fmul double %arg.w.0, %.143.i
  %.147.i = fadd double %arg.w.1, %.145.i
  %.152.i = fcmp oeq double %.147.i, 0.000000e+00
  br i1 %.152.i, label %for.end.if.if, label %B282.endif.endif.endif.i, !prof !0

B282.endif.endif.endif.i:                         ; preds = %B282.endif.i
  %.149.i = fmul double %.143.i, %.55.sroa.0.0
  %.151.i = fadd double %.55.sroa.9.0, %.149.i
  %.159.i = fdiv double %.151.i, %.147.i
  %.161.i = fmul double %.143.i, %.55.sroa.9.0
  %.163.i = fsub double %.161.i, %.55.sroa.0.0
  %.171.i = fdiv double %.163.i, %.147.i
  br label %for.end.endif.endif

for.end.if.if:                                    ; preds = %B174.endif.i, %B132.i, %B282.i, %B282.endif.i
  %excinfo.3.0.ph = phi ptr [ @.const.picklebuf.b28008a0f88bad5ff0f0243e84dab90cab19b366, %B282.endif.i ], [ @.const.picklebuf.b28008a0f88bad5ff0f0243e84dab90cab19b366, %B282.i ], [ @.const.picklebuf.b28008a0f88bad5ff0f0243e84dab90cab19b366, %B174.endif.i ], [ @.const.picklebuf.a28de72ec969a10e8785e6b06be9fa3be19a0ae5, %B132.i ]
  store ptr %excinfo.3.0.ph, ptr %excinfo, align 8
  br label %common.ret

for.end.endif.endif:                              ; preds = %B270.i, %B174.endif.endif.endif.i, %B282.endif.endif.endif.i
  %.89.sroa.0.0 = phi double [ 0x7FF8000000000000, %B270.i ], [ %.105.i, %B174.endif.endif.endif.i ], [ %.159.i, %B282.endif.endif.endif.i ]
  %.89.sroa.3.0 = phi double [ 0x7FF8000000000000, %B270.i ], [ %.117.i, %B174.endif.endif.endif.i ], [ %.171.i, %B282.endif.endif.endif.i ]
  %.6.i = tail call double @hypot(double %arg.z.0, double %arg.z.1), !noalias !1
  %.137 = fadd double %.80.i, %.89.sroa.3.0
  %.134 = fadd double %.70.i, %.89.sroa.0.0
  %.192 = fadd double %.134, %.6.i
  %.195 = fadd double %.137, 0.000000e+00
  store double %.192, ptr %retptr, align 8
  %retptr.repack36 = getelementptr inbounds nuw i8, ptr %retptr, i64 8
  store double %.195, ptr %retptr.repack36, align 8
  br label %common.ret
}

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare double @llvm.cos.f64(double) #0

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare double @llvm.sin.f64(double) #0

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare double @llvm.exp.f64(double) #0

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare double @llvm.fabs.f64(double) #0

declare double @hypot(double, double) local_unnamed_addr

attributes #0 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }

!0 = !{!"branch_weights", i32 1, i32 99}
!1 = !{!2, !4, !6}
!2 = distinct !{!2, !3, !"_ZN5numba7cpython8mathimpl16hypot_float_impl12_3clocals_3e10hypot_implB3v27B42c8tJTC_2fWQA93W1AaAIYBPIqRBFCjDSZRVAJmaQIAEdd: %retptr"}
!3 = distinct !{!3, !"_ZN5numba7cpython8mathimpl16hypot_float_impl12_3clocals_3e10hypot_implB3v27B42c8tJTC_2fWQA93W1AaAIYBPIqRBFCjDSZRVAJmaQIAEdd"}
!4 = distinct !{!4, !5, !"_ZN5numba7cpython7numbers16complex_abs_impl12_3clocals_3e11complex_absB3v26B42c8tJTC_2fWQA93W1AaAIYBPIqRBFCjDSZRVAJmaQIAE10complex128: %retptr"}
!5 = distinct !{!5, !"_ZN5numba7cpython7numbers16complex_abs_impl12_3clocals_3e11complex_absB3v26B42c8tJTC_2fWQA93W1AaAIYBPIqRBFCjDSZRVAJmaQIAE10complex128"}
!6 = distinct !{!6, !5, !"_ZN5numba7cpython7numbers16complex_abs_impl12_3clocals_3e11complex_absB3v26B42c8tJTC_2fWQA93W1AaAIYBPIqRBFCjDSZRVAJmaQIAE10complex128: %excinfo"}
