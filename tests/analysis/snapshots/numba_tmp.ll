; ModuleID = '<string>'
source_filename = "<string>"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@.const.pickledata.331b8563bdb9dac81b38422273052c486fc1706b = internal constant [77 x i8] c"\80\04\95B\00\00\00\00\00\00\00\8C\08builtins\94\8C\0AValueError\94\93\94\8C\1Fnegative dimensions not allowed\94\85\94N\87\94."
@.const.pickledata.331b8563bdb9dac81b38422273052c486fc1706b.sha1 = internal constant [20 x i8] c"3\1B\85c\BD\B9\DA\C8\1B8B\22s\05,Ho\C1pk"
@.const.picklebuf.331b8563bdb9dac81b38422273052c486fc1706b = internal constant { ptr, i32, ptr, ptr, i32 } { ptr @.const.pickledata.331b8563bdb9dac81b38422273052c486fc1706b, i32 77, ptr @.const.pickledata.331b8563bdb9dac81b38422273052c486fc1706b.sha1, ptr null, i32 0 }
@.const.pickledata.58e14eccb507b1e0206981740223e685cb8c3c57.6 = internal constant [137 x i8] c"\80\04\95~\00\00\00\00\00\00\00\8C\08builtins\94\8C\0AValueError\94\93\94\8C[array is too big; `arr.size * arr.dtype.itemsize` is larger than the maximum possible size.\94\85\94N\87\94."
@.const.pickledata.58e14eccb507b1e0206981740223e685cb8c3c57.sha1.7 = internal constant [20 x i8] c"X\E1N\CC\B5\07\B1\E0 i\81t\02#\E6\85\CB\8C<W"
@.const.picklebuf.58e14eccb507b1e0206981740223e685cb8c3c57.5 = internal constant { ptr, i32, ptr, ptr, i32 } { ptr @.const.pickledata.58e14eccb507b1e0206981740223e685cb8c3c57.6, i32 137, ptr @.const.pickledata.58e14eccb507b1e0206981740223e685cb8c3c57.sha1.7, ptr null, i32 0 }
@.const.pickledata.ba289d81f05c7020f3477c15734804df65abe209 = internal constant [86 x i8] c"\80\04\95K\00\00\00\00\00\00\00\8C\08builtins\94\8C\0BMemoryError\94\93\94\8C'Allocation failed (probably too large).\94\85\94N\87\94."
@.const.pickledata.ba289d81f05c7020f3477c15734804df65abe209.sha1 = internal constant [20 x i8] c"\BA(\9D\81\F0\\p \F3G|\15sH\04\DFe\AB\E2\09"
@.const.picklebuf.ba289d81f05c7020f3477c15734804df65abe209 = internal constant { ptr, i32, ptr, ptr, i32 } { ptr @.const.pickledata.ba289d81f05c7020f3477c15734804df65abe209, i32 86, ptr @.const.pickledata.ba289d81f05c7020f3477c15734804df65abe209.sha1, ptr null, i32 0 }

; Function Attrs: nofree noinline norecurse nounwind willreturn memory(argmem: readwrite)
declare void @NRT_incref(ptr) local_unnamed_addr #0

; Function Attrs: noinline nounwind
declare void @NRT_decref(ptr) local_unnamed_addr #1

define range(i32 0, 2) i32 @_ZN8__main__3tmpB2v6B38c8tJTIeFIjxB2IKSgI4CrvQClQZ6FczSBAA_3dE5ArrayIdLi1E1C7mutable7alignedE(ptr noalias writeonly captures(none) %retptr, ptr noalias writeonly captures(none) %excinfo, ptr %arg.x.0, ptr readnone captures(none) %arg.x.1, i64 %arg.x.2, i64 %arg.x.3, ptr readonly captures(none) %arg.x.4, i64 %arg.x.5.0, i64 %arg.x.6.0) local_unnamed_addr {
B0:
  tail call void @NRT_incref(ptr %arg.x.0)
  %.15.i = icmp slt i64 %arg.x.5.0, 0
  br i1 %.15.i, label %B0.if.if, label %B0.endif.endif.i181, !prof !0

B0.endif.endif.i181:                              ; preds = %B0
  %.31.i = icmp samesign ugt i64 %arg.x.5.0, 1152921504606846975
  br i1 %.31.i, label %B0.if.if, label %B0.endif.endif.endif.i, !prof !0

B0.endif.endif.endif.i:                           ; preds = %B0.endif.endif.i181
  %.30.i = shl nuw nsw i64 %arg.x.5.0, 3
  %.7.i203 = tail call ptr @NRT_MemInfo_alloc_aligned(i64 %.30.i, i32 32), !noalias !1
  %.8.i204 = icmp eq ptr %.7.i203, null
  br i1 %.8.i204, label %B0.if.if, label %B0.endif.endif, !prof !0

B120:                                             ; preds = %B120.preheader, %B120
  %.168167169 = phi i64 [ %.175, %B120 ], [ 0, %B120.preheader ]
  %.175 = add nuw nsw i64 %.168167169, 1
  %0 = getelementptr double, ptr %arg.x.4, i64 %.168167169
  %.229 = load double, ptr %0, align 8
  %.230 = tail call double @llvm.sin.f64(double %.229)
  %1 = getelementptr double, ptr %data.i.i, i64 %.168167169
  store double %.230, ptr %1, align 8
  %exitcond.not = icmp eq i64 %arg.x.5.0, %.175
  br i1 %exitcond.not, label %B182.endif.endif.endif.endif.endif.thread, label %B120

common.ret:                                       ; preds = %for.end.endif, %B182.endif.endif.endif.endif.endif.if.if, %B0.if.if
  %common.ret.op = phi i32 [ 1, %B0.if.if ], [ 1, %B182.endif.endif.endif.endif.endif.if.if ], [ 0, %for.end.endif ]
  ret i32 %common.ret.op

B0.if.if:                                         ; preds = %B0.endif.endif.endif.i, %B0.endif.endif.i181, %B0
  %excinfo.1.i.0.ph = phi ptr [ @.const.picklebuf.58e14eccb507b1e0206981740223e685cb8c3c57.5, %B0.endif.endif.i181 ], [ @.const.picklebuf.331b8563bdb9dac81b38422273052c486fc1706b, %B0 ], [ @.const.picklebuf.ba289d81f05c7020f3477c15734804df65abe209, %B0.endif.endif.endif.i ]
  store ptr %excinfo.1.i.0.ph, ptr %excinfo, align 8
  br label %common.ret

B0.endif.endif:                                   ; preds = %B0.endif.endif.endif.i
  %slot.i.i = getelementptr inbounds nuw i8, ptr %.7.i203, i64 24
  %data.i.i = load ptr, ptr %slot.i.i, align 8, !noalias !14
  tail call void @llvm.memset.p0.i64(ptr align 1 %data.i.i, i8 0, i64 %.30.i, i1 false), !noalias !15
  %.162168.not = icmp eq i64 %arg.x.5.0, 0
  br i1 %.162168.not, label %B182.endif.endif.endif.endif.endif, label %B120.preheader

B120.preheader:                                   ; preds = %B0.endif.endif
  br label %B120

B182.endif.endif.endif.endif.endif:               ; preds = %B0.endif.endif
  %.7.i200 = tail call ptr @NRT_MemInfo_alloc_aligned(i64 %.30.i, i32 32), !noalias !18
  %.8.i = icmp eq ptr %.7.i200, null
  br i1 %.8.i, label %B182.endif.endif.endif.endif.endif.if.if, label %for.end.endif.critedge, !prof !0

B182.endif.endif.endif.endif.endif.thread:        ; preds = %B120
  %.7.i200294 = tail call ptr @NRT_MemInfo_alloc_aligned(i64 %.30.i, i32 32), !noalias !18
  %.8.i295 = icmp eq ptr %.7.i200294, null
  br i1 %.8.i295, label %B182.endif.endif.endif.endif.endif.if.if, label %for.body.lr.ph, !prof !0

for.body.lr.ph:                                   ; preds = %B182.endif.endif.endif.endif.endif.thread
  %slot.i298 = getelementptr inbounds nuw i8, ptr %.7.i200294, i64 24
  %data.i299 = load ptr, ptr %slot.i298, align 8
  %.448.not = icmp eq i64 %arg.x.5.0, 1
  br label %for.body.endif.endif.endif

B182.endif.endif.endif.endif.endif.if.if:         ; preds = %B182.endif.endif.endif.endif.endif.thread, %B182.endif.endif.endif.endif.endif
  store ptr @.const.picklebuf.ba289d81f05c7020f3477c15734804df65abe209, ptr %excinfo, align 8
  br label %common.ret

B0.endif.endif.i237:                              ; preds = %for.body.endif.endif.endif
  tail call void @NRT_incref(ptr nonnull %.7.i200294)
  tail call void @NRT_decref(ptr %arg.x.0)
  tail call void @NRT_decref(ptr nonnull %.7.i203)
  br label %.89.endif.i

.89.endif.i:                                      ; preds = %B0.endif.endif.i237, %.89.endif.i
  %.87.014.i = phi i64 [ %.111.i, %.89.endif.i ], [ 0, %B0.endif.endif.i237 ]
  %.77.013.i = phi ptr [ %.114.i239, %.89.endif.i ], [ %data.i299, %B0.endif.endif.i237 ]
  %.72.012.i = phi double [ %.108.i, %.89.endif.i ], [ 0.000000e+00, %B0.endif.endif.i237 ]
  %.106.i = load double, ptr %.77.013.i, align 8, !noalias !25
  %.108.i = fadd double %.72.012.i, %.106.i
  %.111.i = add nuw nsw i64 %.87.014.i, 1
  %.114.i239 = getelementptr i8, ptr %.77.013.i, i64 8
  %exitcond.not.i240 = icmp eq i64 %.111.i, %arg.x.5.0
  br i1 %exitcond.not.i240, label %for.end.endif.loopexit, label %.89.endif.i, !prof !29

for.body.endif.endif.endif:                       ; preds = %for.body.endif.endif.endif, %for.body.lr.ph
  %loop.index175 = phi i64 [ 0, %for.body.lr.ph ], [ %.494, %for.body.endif.endif.endif ]
  %.442.0174 = phi i64 [ 0, %for.body.lr.ph ], [ %.442.1, %for.body.endif.endif.endif ]
  %.439.0173 = phi i64 [ 0, %for.body.lr.ph ], [ %spec.select, %for.body.endif.endif.endif ]
  %spec.select = select i1 %.448.not, i64 %.439.0173, i64 %loop.index175
  %.455 = getelementptr double, ptr %data.i.i, i64 %spec.select
  %.456 = load double, ptr %.455, align 8
  %.442.1 = select i1 %.448.not, i64 %.442.0174, i64 %loop.index175
  %.464 = getelementptr double, ptr %arg.x.4, i64 %.442.1
  %.465 = load double, ptr %.464, align 8
  %.6.i = fmul double %.456, %.465
  %.7.i209 = fadd double %.6.i, 2.000000e+00
  %.492 = getelementptr double, ptr %data.i299, i64 %loop.index175
  store double %.7.i209, ptr %.492, align 8
  %.494 = add nuw nsw i64 %loop.index175, 1
  %exitcond177.not = icmp eq i64 %.494, %arg.x.5.0
  br i1 %exitcond177.not, label %B0.endif.endif.i237, label %for.body.endif.endif.endif

for.end.endif.critedge:                           ; preds = %B182.endif.endif.endif.endif.endif
  tail call void @NRT_incref(ptr nonnull %.7.i200)
  tail call void @NRT_decref(ptr %arg.x.0)
  tail call void @NRT_decref(ptr nonnull %.7.i203)
  br label %for.end.endif

for.end.endif.loopexit:                           ; preds = %.89.endif.i
  %.108.i.lcssa = phi double [ %.108.i, %.89.endif.i ]
  br label %for.end.endif

for.end.endif:                                    ; preds = %for.end.endif.loopexit, %for.end.endif.critedge
  %.7.i200296301 = phi ptr [ %.7.i200, %for.end.endif.critedge ], [ %.7.i200294, %for.end.endif.loopexit ]
  %.72.0.lcssa.i = phi double [ 0.000000e+00, %for.end.endif.critedge ], [ %.108.i.lcssa, %for.end.endif.loopexit ]
  tail call void @NRT_decref(ptr nonnull %.7.i200296301), !noalias !25
  tail call void @NRT_decref(ptr nonnull %.7.i200296301)
  store double %.72.0.lcssa.i, ptr %retptr, align 8
  br label %common.ret
}

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare double @llvm.sin.f64(double) #2

declare noalias ptr @NRT_MemInfo_alloc_aligned(i64, i32) local_unnamed_addr

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: write)
declare void @llvm.memset.p0.i64(ptr writeonly captures(none), i8, i64, i1 immarg) #3

attributes #0 = { nofree noinline norecurse nounwind willreturn memory(argmem: readwrite) }
attributes #1 = { noinline nounwind }
attributes #2 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { nocallback nofree nounwind willreturn memory(argmem: write) }

!0 = !{!"branch_weights", i32 1, i32 99}
!1 = !{!2, !4, !5, !7, !8, !10, !11, !13}
!2 = distinct !{!2, !3, !"_ZN5numba2np8arrayobj18_ol_array_allocate12_3clocals_3e4implB3v10B42c8tJTIeFIjxB2IKSgI4CrvQClcaMQ5hEEUSJJgA_3dEN29typeref_5b_3cclass_20_27numba4core5types8npytypes14Array_27_3e_5dExj: %retptr"}
!3 = distinct !{!3, !"_ZN5numba2np8arrayobj18_ol_array_allocate12_3clocals_3e4implB3v10B42c8tJTIeFIjxB2IKSgI4CrvQClcaMQ5hEEUSJJgA_3dEN29typeref_5b_3cclass_20_27numba4core5types8npytypes14Array_27_3e_5dExj"}
!4 = distinct !{!4, !3, !"_ZN5numba2np8arrayobj18_ol_array_allocate12_3clocals_3e4implB3v10B42c8tJTIeFIjxB2IKSgI4CrvQClcaMQ5hEEUSJJgA_3dEN29typeref_5b_3cclass_20_27numba4core5types8npytypes14Array_27_3e_5dExj: %excinfo"}
!5 = distinct !{!5, !6, !"_ZN5numba2np8arrayobj15_call_allocatorB2v9B42c8tJTC_2fWQA93W1AaAIYBPIqRBFCjDSZRVAJmaQIAEN29typeref_5b_3cclass_20_27numba4core5types8npytypes14Array_27_3e_5dExj: %retptr"}
!6 = distinct !{!6, !"_ZN5numba2np8arrayobj15_call_allocatorB2v9B42c8tJTC_2fWQA93W1AaAIYBPIqRBFCjDSZRVAJmaQIAEN29typeref_5b_3cclass_20_27numba4core5types8npytypes14Array_27_3e_5dExj"}
!7 = distinct !{!7, !6, !"_ZN5numba2np8arrayobj15_call_allocatorB2v9B42c8tJTC_2fWQA93W1AaAIYBPIqRBFCjDSZRVAJmaQIAEN29typeref_5b_3cclass_20_27numba4core5types8npytypes14Array_27_3e_5dExj: %excinfo"}
!8 = distinct !{!8, !9, !"_ZN5numba2np8arrayobj11ol_np_empty12_3clocals_3e4implB2v8B42c8tJTIeFIjxB2IKSgI4CrvQClcaMQ5hEEUSJJgA_3dEx39Function_28_3cclass_20_27float_27_3e_29: %retptr"}
!9 = distinct !{!9, !"_ZN5numba2np8arrayobj11ol_np_empty12_3clocals_3e4implB2v8B42c8tJTIeFIjxB2IKSgI4CrvQClcaMQ5hEEUSJJgA_3dEx39Function_28_3cclass_20_27float_27_3e_29"}
!10 = distinct !{!10, !9, !"_ZN5numba2np8arrayobj11ol_np_empty12_3clocals_3e4implB2v8B42c8tJTIeFIjxB2IKSgI4CrvQClcaMQ5hEEUSJJgA_3dEx39Function_28_3cclass_20_27float_27_3e_29: %excinfo"}
!11 = distinct !{!11, !12, !"_ZN5numba2np8arrayobj11ol_np_zeros12_3clocals_3e4implB2v7B42c8tJTIeFIjxB2IKSgI4CrvQClcaMQ5hEEUSJJgA_3dEx48omitted_28default_3d_3cclass_20_27float_27_3e_29: %retptr"}
!12 = distinct !{!12, !"_ZN5numba2np8arrayobj11ol_np_zeros12_3clocals_3e4implB2v7B42c8tJTIeFIjxB2IKSgI4CrvQClcaMQ5hEEUSJJgA_3dEx48omitted_28default_3d_3cclass_20_27float_27_3e_29"}
!13 = distinct !{!13, !12, !"_ZN5numba2np8arrayobj11ol_np_zeros12_3clocals_3e4implB2v7B42c8tJTIeFIjxB2IKSgI4CrvQClcaMQ5hEEUSJJgA_3dEx48omitted_28default_3d_3cclass_20_27float_27_3e_29: %excinfo"}
!14 = !{!8, !10, !11, !13}
!15 = !{!16, !11, !13}
!16 = distinct !{!16, !17, !"_ZN5numba2np8arrayobj18ol_array_zero_fill12_3clocals_3e4implB3v11B42c8tJTIeFIjxB2IKSgI4CrvQClcaMQ5hEEUSJJgA_3dE5ArrayIdLi1E1C7mutable7alignedE: %retptr"}
!17 = distinct !{!17, !"_ZN5numba2np8arrayobj18ol_array_zero_fill12_3clocals_3e4implB3v11B42c8tJTIeFIjxB2IKSgI4CrvQClcaMQ5hEEUSJJgA_3dE5ArrayIdLi1E1C7mutable7alignedE"}
!18 = !{!19, !21, !22, !24}
!19 = distinct !{!19, !20, !"_ZN5numba2np8arrayobj18_ol_array_allocate12_3clocals_3e4implB3v10B42c8tJTIeFIjxB2IKSgI4CrvQClcaMQ5hEEUSJJgA_3dEN29typeref_5b_3cclass_20_27numba4core5types8npytypes14Array_27_3e_5dExj: %retptr"}
!20 = distinct !{!20, !"_ZN5numba2np8arrayobj18_ol_array_allocate12_3clocals_3e4implB3v10B42c8tJTIeFIjxB2IKSgI4CrvQClcaMQ5hEEUSJJgA_3dEN29typeref_5b_3cclass_20_27numba4core5types8npytypes14Array_27_3e_5dExj"}
!21 = distinct !{!21, !20, !"_ZN5numba2np8arrayobj18_ol_array_allocate12_3clocals_3e4implB3v10B42c8tJTIeFIjxB2IKSgI4CrvQClcaMQ5hEEUSJJgA_3dEN29typeref_5b_3cclass_20_27numba4core5types8npytypes14Array_27_3e_5dExj: %excinfo"}
!22 = distinct !{!22, !23, !"_ZN5numba2np8arrayobj15_call_allocatorB2v9B42c8tJTC_2fWQA93W1AaAIYBPIqRBFCjDSZRVAJmaQIAEN29typeref_5b_3cclass_20_27numba4core5types8npytypes14Array_27_3e_5dExj: %retptr"}
!23 = distinct !{!23, !"_ZN5numba2np8arrayobj15_call_allocatorB2v9B42c8tJTC_2fWQA93W1AaAIYBPIqRBFCjDSZRVAJmaQIAEN29typeref_5b_3cclass_20_27numba4core5types8npytypes14Array_27_3e_5dExj"}
!24 = distinct !{!24, !23, !"_ZN5numba2np8arrayobj15_call_allocatorB2v9B42c8tJTC_2fWQA93W1AaAIYBPIqRBFCjDSZRVAJmaQIAEN29typeref_5b_3cclass_20_27numba4core5types8npytypes14Array_27_3e_5dExj: %excinfo"}
!25 = !{!26, !28}
!26 = distinct !{!26, !27, !"_ZN5numba2np9arraymath9array_sum12_3clocals_3e14array_sum_implB3v17B42c8tJTIeFIjxB2IKSgI4CrvQClcaMQ5hEEUSJJgA_3dE5ArrayIdLi1E1C7mutable7alignedE27omitted_28default_3dNone_2927omitted_28default_3dNone_29: %retptr"}
!27 = distinct !{!27, !"_ZN5numba2np9arraymath9array_sum12_3clocals_3e14array_sum_implB3v17B42c8tJTIeFIjxB2IKSgI4CrvQClcaMQ5hEEUSJJgA_3dE5ArrayIdLi1E1C7mutable7alignedE27omitted_28default_3dNone_2927omitted_28default_3dNone_29"}
!28 = distinct !{!28, !27, !"_ZN5numba2np9arraymath9array_sum12_3clocals_3e14array_sum_implB3v17B42c8tJTIeFIjxB2IKSgI4CrvQClcaMQ5hEEUSJJgA_3dE5ArrayIdLi1E1C7mutable7alignedE27omitted_28default_3dNone_2927omitted_28default_3dNone_29: %excinfo"}
!29 = !{!"branch_weights", i32 127, i32 12545}
