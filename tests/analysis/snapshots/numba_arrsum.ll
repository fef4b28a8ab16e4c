; ModuleID = '<string>'
source_filename = "<string>"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; Function Attrs: nounwind
define noundef i32 @_ZN8__main__6arrsumB2v3B38c8tJTIeFIjxB2IKSgI4CrvQClQZ6FczSBAA_3dE5ArrayIdLi1E1C7mutable7alignedE(ptr noalias writeonly captures(none) %retptr, ptr noalias readnone captures(none) %excinfo, ptr %arg.x.0, ptr readnone captures(none) %arg.x.1, i64 %arg.x.2, i64 %arg.x.3, ptr readonly captures(none) %arg.x.4, i64 %arg.x.5.0, i64 %arg.x.6.0) local_unnamed_addr #0 {
B0.endif:
  %.11384.not = icmp slt i64 %arg.x.5.0, 1
  br i1 %.11384.not, label %B106, label %B62.preheader

B62.preheader:                                    ; preds = %B0.endif
  br label %B62

B62:                                              ; preds = %B62.preheader, %B62
  %s.2.087 = phi double [ %.213, %B62 ], [ 0.000000e+00, %B62.preheader ]
  %.1198385 = phi i64 [ %.126, %B62 ], [ 0, %B62.preheader ]
  %.126 = add nuw nsw i64 %.1198385, 1
  %0 = getelementptr double, ptr %arg.x.4, i64 %.1198385
  %.180 = load double, ptr %0, align 8
  %.211 = fmul double %.180, %.180
  %.213 = fadd double %s.2.087, %.211
  %exitcond.not = icmp eq i64 %arg.x.5.0, %.126
  br i1 %exitcond.not, label %B106.loopexit, label %B62

B106.loopexit:                                    ; preds = %B62
  %.213.lcssa = phi double [ %.213, %B62 ]
  br label %B106

B106:                                             ; preds = %B106.loopexit, %B0.endif
  %s.2.0.lcssa = phi double [ 0.000000e+00, %B0.endif ], [ %.213.lcssa, %B106.loopexit ]
  store double %s.2.0.lcssa, ptr %retptr, align 8
  ret i32 0
}

attributes #0 = { nounwind }
