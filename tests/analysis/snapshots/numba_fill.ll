; ModuleID = '<string>'
source_filename = "<string>"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; Function Attrs: nounwind
define noundef i32 @_ZN8__main__4fillB3v29B38c8tJTIeFIjxB2IKSgI4CrvQClQZ6FczSBAA_3dE5ArrayIdLi1E1C7mutable7alignedE5ArrayIdLi1E1C7mutable7alignedE(ptr noalias writeonly captures(none) %retptr, ptr noalias readnone captures(none) %excinfo, ptr %arg.x.0, ptr readnone captures(none) %arg.x.1, i64 %arg.x.2, i64 %arg.x.3, ptr readonly captures(none) %arg.x.4, i64 %arg.x.5.0, i64 %arg.x.6.0, ptr %arg.y.0, ptr readnone captures(none) %arg.y.1, i64 %arg.y.2, i64 %arg.y.3, ptr writeonly captures(none) %arg.y.4, i64 %arg.y.5.0, i64 %arg.y.6.0) local_unnamed_addr #0 {
B0.endif:
  %.124104.not = icmp slt i64 %arg.x.5.0, 1
  br i1 %.124104.not, label %B108, label %B58.preheader

B58.preheader:                                    ; preds = %B0.endif
  br label %B58

B58:                                              ; preds = %B58.preheader, %B58
  %.130103105 = phi i64 [ %.137, %B58 ], [ 0, %B58.preheader ]
  %.137 = add nuw nsw i64 %.130103105, 1
  %0 = getelementptr double, ptr %arg.x.4, i64 %.130103105
  %.191 = load double, ptr %0, align 8
  %.222 = fmul double %.191, %.191
  %.223 = fadd double %.222, 1.000000e+00
  %1 = getelementptr double, ptr %arg.y.4, i64 %.130103105
  store double %.223, ptr %1, align 8
  %exitcond.not = icmp eq i64 %arg.x.5.0, %.137
  br i1 %exitcond.not, label %B108.loopexit, label %B58

B108.loopexit:                                    ; preds = %B58
  br label %B108

B108:                                             ; preds = %B108.loopexit, %B0.endif
  store ptr null, ptr %retptr, align 8
  ret i32 0
}

attributes #0 = { nounwind }
