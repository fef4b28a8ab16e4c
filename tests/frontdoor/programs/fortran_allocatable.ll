; arguments: [0.5 -1 2 0.7] i64:4
; returns: double
; The compiler of Fortran, flang 19 printed this of the source that is here as a comment.
; ! Arrays that are allocated, array expressions, sums and dot products.
; double precision function f(x, n) bind(C)
;   use iso_c_binding
;   integer(c_long), value :: n
;   real(c_double), intent(in) :: x(n)
;   real(c_double), allocatable :: y(:)
;   real(c_double) :: z(n)
;   integer :: i
;   allocate(y(n))
;   do i = 1, n
;     y(i) = x(i)**2 * i
;   end do
;   do i = 1, n
;     z(i) = 2 * y(i) + x(i)
;   end do
;   f = sum(z * y) + dot_product(x, y) + maxval(y) * sin(x(n))
;   deallocate(y)
; end function
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @free(ptr allocptr nocapture noundef) local_unnamed_addr #0

declare noalias noundef ptr @malloc(i64 noundef) local_unnamed_addr #1

define double @f(ptr nocapture readonly %0, i64 %1) local_unnamed_addr #2 {
  %3 = tail call i64 @llvm.smax.i64(i64 %1, i64 0)
  %4 = alloca double, i64 %3, align 8
  %5 = shl i64 %3, 3
  %6 = tail call ptr @malloc(i64 %5)
  %invariant.gep = getelementptr i8, ptr %0, i64 -8
  %invariant.gep550 = getelementptr i8, ptr %6, i64 -8
  %7 = icmp sgt i64 %1, 0
  br i1 %7, label %.lr.ph.preheader, label %.preheader

.lr.ph.preheader:                                 ; preds = %2
  %min.iters.check = icmp ult i64 %1, 4
  br i1 %min.iters.check, label %.lr.ph.preheader616, label %vector.scevcheck

.lr.ph.preheader616:                              ; preds = %middle.block, %vector.scevcheck, %.lr.ph.preheader
  %.ph617 = phi i64 [ %1, %vector.scevcheck ], [ %1, %.lr.ph.preheader ], [ %ind.end, %middle.block ]
  %.ph618 = phi i32 [ 1, %vector.scevcheck ], [ 1, %.lr.ph.preheader ], [ %ind.end565, %middle.block ]
  br label %.lr.ph

vector.scevcheck:                                 ; preds = %.lr.ph.preheader
  %8 = add nsw i64 %1, -1
  %9 = trunc i64 %8 to i32
  %10 = icmp ugt i32 %9, 2147483646
  %11 = icmp ugt i64 %8, 4294967295
  %12 = or i1 %10, %11
  br i1 %12, label %.lr.ph.preheader616, label %vector.ph

vector.ph:                                        ; preds = %vector.scevcheck
  %n.vec = and i64 %1, 8589934588
  %ind.end = and i64 %1, 3
  %.cast = trunc i64 %n.vec to i32
  %ind.end565 = or disjoint i32 %.cast, 1
  br label %vector.body

vector.body:                                      ; preds = %vector.body, %vector.ph
  %index = phi i64 [ 0, %vector.ph ], [ %index.next, %vector.body ]
  %vec.ind = phi <2 x i32> [ <i32 1, i32 2>, %vector.ph ], [ %vec.ind.next, %vector.body ]
  %step.add = add <2 x i32> %vec.ind, <i32 2, i32 2>
  %offset.idx = shl i64 %index, 32
  %sext = ashr exact i64 %offset.idx, 32
  %13 = getelementptr double, ptr %0, i64 %sext
  %14 = getelementptr i8, ptr %13, i64 16
  %wide.load = load <2 x double>, ptr %13, align 8, !tbaa !3
  %wide.load569 = load <2 x double>, ptr %14, align 8, !tbaa !3
  %15 = fmul <2 x double> %wide.load, %wide.load
  %16 = fmul <2 x double> %wide.load569, %wide.load569
  %17 = sitofp <2 x i32> %vec.ind to <2 x double>
  %18 = sitofp <2 x i32> %step.add to <2 x double>
  %19 = fmul contract <2 x double> %15, %17
  %20 = fmul contract <2 x double> %16, %18
  %21 = getelementptr double, ptr %6, i64 %sext
  %22 = getelementptr i8, ptr %21, i64 16
  store <2 x double> %19, ptr %21, align 8, !tbaa !9
  store <2 x double> %20, ptr %22, align 8, !tbaa !9
  %index.next = add nuw i64 %index, 4
  %vec.ind.next = add <2 x i32> %vec.ind, <i32 4, i32 4>
  %23 = icmp eq i64 %index.next, %n.vec
  br i1 %23, label %middle.block, label %vector.body, !llvm.loop !10

middle.block:                                     ; preds = %vector.body
  %cmp.n = icmp eq i64 %n.vec, %1
  br i1 %cmp.n, label %.preheader, label %.lr.ph.preheader616

.preheader:                                       ; preds = %.lr.ph, %middle.block, %2
  %invariant.gep552 = getelementptr i8, ptr %6, i64 -8
  %24 = icmp sgt i64 %1, 0
  br i1 %24, label %.lr.ph554.preheader, label %._crit_edge

.lr.ph554.preheader:                              ; preds = %.preheader
  %min.iters.check573 = icmp ult i64 %1, 6
  br i1 %min.iters.check573, label %.lr.ph554.preheader613, label %vector.scevcheck570

.lr.ph554.preheader613:                           ; preds = %middle.block571, %vector.scevcheck570, %.lr.ph554.preheader
  %.ph614 = phi i64 [ %1, %vector.scevcheck570 ], [ %1, %.lr.ph554.preheader ], [ %ind.end577, %middle.block571 ]
  %.ph615 = phi i32 [ 1, %vector.scevcheck570 ], [ 1, %.lr.ph554.preheader ], [ %ind.end580, %middle.block571 ]
  br label %.lr.ph554

vector.scevcheck570:                              ; preds = %.lr.ph554.preheader
  %25 = add nsw i64 %1, -1
  %26 = trunc i64 %25 to i32
  %27 = icmp ugt i32 %26, 2147483646
  %28 = icmp ugt i64 %25, 4294967295
  %29 = or i1 %27, %28
  br i1 %29, label %.lr.ph554.preheader613, label %vector.ph574

vector.ph574:                                     ; preds = %vector.scevcheck570
  %n.vec576 = and i64 %1, 8589934588
  %ind.end577 = and i64 %1, 3
  %.cast579 = trunc i64 %n.vec576 to i32
  %ind.end580 = or disjoint i32 %.cast579, 1
  br label %vector.body582

vector.body582:                                   ; preds = %vector.body582, %vector.ph574
  %index583 = phi i64 [ 0, %vector.ph574 ], [ %index.next590, %vector.body582 ]
  %offset.idx585 = shl i64 %index583, 32
  %sext609 = ashr exact i64 %offset.idx585, 32
  %30 = getelementptr double, ptr %6, i64 %sext609
  %31 = getelementptr i8, ptr %30, i64 16
  %wide.load586 = load <2 x double>, ptr %30, align 8, !tbaa !9
  %wide.load587 = load <2 x double>, ptr %31, align 8, !tbaa !9
  %32 = fmul contract <2 x double> %wide.load586, <double 2.000000e+00, double 2.000000e+00>
  %33 = fmul contract <2 x double> %wide.load587, <double 2.000000e+00, double 2.000000e+00>
  %34 = getelementptr double, ptr %0, i64 %sext609
  %35 = getelementptr i8, ptr %34, i64 16
  %wide.load588 = load <2 x double>, ptr %34, align 8, !tbaa !3
  %wide.load589 = load <2 x double>, ptr %35, align 8, !tbaa !3
  %36 = fadd contract <2 x double> %32, %wide.load588
  %37 = fadd contract <2 x double> %33, %wide.load589
  %38 = getelementptr double, ptr %4, i64 %sext609
  %39 = getelementptr i8, ptr %38, i64 16
  store <2 x double> %36, ptr %38, align 8, !tbaa !9
  store <2 x double> %37, ptr %39, align 8, !tbaa !9
  %index.next590 = add nuw i64 %index583, 4
  %40 = icmp eq i64 %index.next590, %n.vec576
  br i1 %40, label %middle.block571, label %vector.body582, !llvm.loop !13

middle.block571:                                  ; preds = %vector.body582
  %cmp.n591 = icmp eq i64 %n.vec576, %1
  br i1 %cmp.n591, label %._crit_edge, label %.lr.ph554.preheader613

.lr.ph:                                           ; preds = %.lr.ph.preheader616, %.lr.ph
  %41 = phi i64 [ %49, %.lr.ph ], [ %.ph617, %.lr.ph.preheader616 ]
  %42 = phi i32 [ %48, %.lr.ph ], [ %.ph618, %.lr.ph.preheader616 ]
  %43 = sext i32 %42 to i64
  %gep = getelementptr double, ptr %invariant.gep, i64 %43
  %44 = load double, ptr %gep, align 8, !tbaa !3
  %45 = fmul double %44, %44
  %46 = sitofp i32 %42 to double
  %47 = fmul contract double %45, %46
  %gep551 = getelementptr double, ptr %invariant.gep550, i64 %43
  store double %47, ptr %gep551, align 8, !tbaa !9
  %48 = add i32 %42, 1
  %49 = add nsw i64 %41, -1
  %50 = icmp sgt i64 %41, 1
  br i1 %50, label %.lr.ph, label %.preheader, !llvm.loop !14

.lr.ph554:                                        ; preds = %.lr.ph554.preheader613, %.lr.ph554
  %51 = phi i64 [ %62, %.lr.ph554 ], [ %.ph614, %.lr.ph554.preheader613 ]
  %52 = phi i32 [ %61, %.lr.ph554 ], [ %.ph615, %.lr.ph554.preheader613 ]
  %53 = sext i32 %52 to i64
  %gep553 = getelementptr double, ptr %invariant.gep552, i64 %53
  %54 = load double, ptr %gep553, align 8, !tbaa !9
  %55 = fmul contract double %54, 2.000000e+00
  %56 = add nsw i64 %53, -1
  %57 = getelementptr double, ptr %0, i64 %56
  %58 = load double, ptr %57, align 8, !tbaa !3
  %59 = fadd contract double %55, %58
  %60 = getelementptr double, ptr %4, i64 %56
  store double %59, ptr %60, align 8, !tbaa !9
  %61 = add i32 %52, 1
  %62 = add nsw i64 %51, -1
  %63 = icmp sgt i64 %51, 1
  br i1 %63, label %.lr.ph554, label %._crit_edge, !llvm.loop !15

._crit_edge:                                      ; preds = %.lr.ph554, %middle.block571, %.preheader
  %64 = tail call ptr @malloc(i64 %5)
  %invariant.gep555 = getelementptr i8, ptr %6, i64 -8
  %.not560 = icmp slt i64 %1, 1
  br i1 %.not560, label %._crit_edge559, label %.lr.ph558.preheader

.lr.ph558.preheader:                              ; preds = %._crit_edge
  %min.iters.check594 = icmp slt i64 %1, 4
  br i1 %min.iters.check594, label %.lr.ph558.preheader612, label %vector.ph595

vector.ph595:                                     ; preds = %.lr.ph558.preheader
  %n.vec597 = and i64 %3, 9223372036854775804
  %ind.end598 = or disjoint i64 %n.vec597, 1
  br label %vector.body600

vector.body600:                                   ; preds = %vector.body600, %vector.ph595
  %index601 = phi i64 [ 0, %vector.ph595 ], [ %index.next607, %vector.body600 ]
  %65 = getelementptr double, ptr %4, i64 %index601
  %66 = getelementptr double, ptr %6, i64 %index601
  %67 = getelementptr i8, ptr %65, i64 16
  %wide.load603 = load <2 x double>, ptr %65, align 8, !tbaa !9
  %wide.load604 = load <2 x double>, ptr %67, align 8, !tbaa !9
  %68 = getelementptr i8, ptr %66, i64 16
  %wide.load605 = load <2 x double>, ptr %66, align 8, !tbaa !9
  %wide.load606 = load <2 x double>, ptr %68, align 8, !tbaa !9
  %69 = fmul contract <2 x double> %wide.load603, %wide.load605
  %70 = fmul contract <2 x double> %wide.load604, %wide.load606
  %71 = getelementptr double, ptr %64, i64 %index601
  %72 = getelementptr i8, ptr %71, i64 16
  store <2 x double> %69, ptr %71, align 8, !tbaa !9
  store <2 x double> %70, ptr %72, align 8, !tbaa !9
  %index.next607 = add nuw i64 %index601, 4
  %73 = icmp eq i64 %index.next607, %n.vec597
  br i1 %73, label %middle.block592, label %vector.body600, !llvm.loop !16

middle.block592:                                  ; preds = %vector.body600
  %cmp.n608 = icmp eq i64 %n.vec597, %1
  br i1 %cmp.n608, label %._crit_edge559, label %.lr.ph558.preheader612

.lr.ph558.preheader612:                           ; preds = %middle.block592, %.lr.ph558.preheader
  %.ph = phi i64 [ 1, %.lr.ph558.preheader ], [ %ind.end598, %middle.block592 ]
  br label %.lr.ph558

.lr.ph558:                                        ; preds = %.lr.ph558.preheader612, %.lr.ph558
  %74 = phi i64 [ %81, %.lr.ph558 ], [ %.ph, %.lr.ph558.preheader612 ]
  %75 = add nsw i64 %74, -1
  %76 = getelementptr double, ptr %4, i64 %75
  %gep556 = getelementptr double, ptr %invariant.gep555, i64 %74
  %77 = load double, ptr %76, align 8, !tbaa !9
  %78 = load double, ptr %gep556, align 8, !tbaa !9
  %79 = fmul contract double %77, %78
  %80 = getelementptr double, ptr %64, i64 %75
  store double %79, ptr %80, align 8, !tbaa !9
  %81 = add nuw i64 %74, 1
  %exitcond.not = icmp eq i64 %74, %3
  br i1 %exitcond.not, label %._crit_edge559, label %.lr.ph558, !llvm.loop !17

._crit_edge559:                                   ; preds = %.lr.ph558, %middle.block592, %._crit_edge
  %.not = icmp slt i64 %1, 1
  br i1 %.not, label %_FortranASumReal8x1_contract_simplified.exit, label %.lr.ph.i.preheader

.lr.ph.i.preheader:                               ; preds = %._crit_edge559
  %82 = add nsw i64 %1, -1
  %xtraiter = and i64 %1, 3
  %83 = icmp ult i64 %82, 3
  br i1 %83, label %_FortranASumReal8x1_contract_simplified.exit.loopexit.unr-lcssa, label %.lr.ph.i.preheader.new

.lr.ph.i.preheader.new:                           ; preds = %.lr.ph.i.preheader
  %unroll_iter = and i64 %1, 9223372036854775804
  br label %.lr.ph.i

.lr.ph.i:                                         ; preds = %.lr.ph.i, %.lr.ph.i.preheader.new
  %84 = phi double [ 0.000000e+00, %.lr.ph.i.preheader.new ], [ %104, %.lr.ph.i ]
  %85 = phi i64 [ 0, %.lr.ph.i.preheader.new ], [ %105, %.lr.ph.i ]
  %niter = phi i64 [ 0, %.lr.ph.i.preheader.new ], [ %niter.next.3, %.lr.ph.i ]
  %86 = shl nsw i64 %85, 3
  %87 = getelementptr i8, ptr %64, i64 %86
  %88 = load double, ptr %87, align 8, !tbaa !18
  %89 = fadd contract double %84, %88
  %90 = shl i64 %85, 3
  %91 = or disjoint i64 %90, 8
  %92 = getelementptr i8, ptr %64, i64 %91
  %93 = load double, ptr %92, align 8, !tbaa !18
  %94 = fadd contract double %89, %93
  %95 = shl i64 %85, 3
  %96 = or disjoint i64 %95, 16
  %97 = getelementptr i8, ptr %64, i64 %96
  %98 = load double, ptr %97, align 8, !tbaa !18
  %99 = fadd contract double %94, %98
  %100 = shl i64 %85, 3
  %101 = or disjoint i64 %100, 24
  %102 = getelementptr i8, ptr %64, i64 %101
  %103 = load double, ptr %102, align 8, !tbaa !18
  %104 = fadd contract double %99, %103
  %105 = add nuw nsw i64 %85, 4
  %niter.next.3 = add i64 %niter, 4
  %niter.ncmp.3 = icmp eq i64 %niter.next.3, %unroll_iter
  br i1 %niter.ncmp.3, label %_FortranASumReal8x1_contract_simplified.exit.loopexit.unr-lcssa, label %.lr.ph.i

_FortranASumReal8x1_contract_simplified.exit.loopexit.unr-lcssa: ; preds = %.lr.ph.i, %.lr.ph.i.preheader
  %.lcssa611.ph = phi double [ poison, %.lr.ph.i.preheader ], [ %104, %.lr.ph.i ]
  %.unr = phi double [ 0.000000e+00, %.lr.ph.i.preheader ], [ %104, %.lr.ph.i ]
  %.unr619 = phi i64 [ 0, %.lr.ph.i.preheader ], [ %105, %.lr.ph.i ]
  %lcmp.mod.not = icmp eq i64 %xtraiter, 0
  br i1 %lcmp.mod.not, label %_FortranASumReal8x1_contract_simplified.exit, label %.lr.ph.i.epil

.lr.ph.i.epil:                                    ; preds = %_FortranASumReal8x1_contract_simplified.exit.loopexit.unr-lcssa, %.lr.ph.i.epil
  %106 = phi double [ %111, %.lr.ph.i.epil ], [ %.unr, %_FortranASumReal8x1_contract_simplified.exit.loopexit.unr-lcssa ]
  %107 = phi i64 [ %112, %.lr.ph.i.epil ], [ %.unr619, %_FortranASumReal8x1_contract_simplified.exit.loopexit.unr-lcssa ]
  %epil.iter = phi i64 [ %epil.iter.next, %.lr.ph.i.epil ], [ 0, %_FortranASumReal8x1_contract_simplified.exit.loopexit.unr-lcssa ]
  %108 = shl nsw i64 %107, 3
  %109 = getelementptr i8, ptr %64, i64 %108
  %110 = load double, ptr %109, align 8, !tbaa !18
  %111 = fadd contract double %106, %110
  %112 = add nuw nsw i64 %107, 1
  %epil.iter.next = add i64 %epil.iter, 1
  %epil.iter.cmp.not = icmp eq i64 %epil.iter.next, %xtraiter
  br i1 %epil.iter.cmp.not, label %_FortranASumReal8x1_contract_simplified.exit, label %.lr.ph.i.epil, !llvm.loop !22

_FortranASumReal8x1_contract_simplified.exit:     ; preds = %_FortranASumReal8x1_contract_simplified.exit.loopexit.unr-lcssa, %.lr.ph.i.epil, %._crit_edge559
  %.lcssa.i = phi double [ 0.000000e+00, %._crit_edge559 ], [ %.lcssa611.ph, %_FortranASumReal8x1_contract_simplified.exit.loopexit.unr-lcssa ], [ %111, %.lr.ph.i.epil ]
  tail call void @free(ptr %64)
  br i1 %.not, label %_FortranADotProductReal8_contract_f64_f64_simplified.exit, label %.lr.ph.i523.preheader

.lr.ph.i523.preheader:                            ; preds = %_FortranASumReal8x1_contract_simplified.exit
  %113 = add nsw i64 %1, -1
  %xtraiter621 = and i64 %1, 3
  %114 = icmp ult i64 %113, 3
  br i1 %114, label %_FortranADotProductReal8_contract_f64_f64_simplified.exit.loopexit.unr-lcssa, label %.lr.ph.i523.preheader.new

.lr.ph.i523.preheader.new:                        ; preds = %.lr.ph.i523.preheader
  %unroll_iter627 = and i64 %1, 9223372036854775804
  br label %.lr.ph.i523

.lr.ph.i523:                                      ; preds = %.lr.ph.i523, %.lr.ph.i523.preheader.new
  %115 = phi double [ 0.000000e+00, %.lr.ph.i523.preheader.new ], [ %147, %.lr.ph.i523 ]
  %116 = phi i64 [ 0, %.lr.ph.i523.preheader.new ], [ %148, %.lr.ph.i523 ]
  %niter628 = phi i64 [ 0, %.lr.ph.i523.preheader.new ], [ %niter628.next.3, %.lr.ph.i523 ]
  %117 = shl nsw i64 %116, 3
  %118 = getelementptr i8, ptr %0, i64 %117
  %119 = load double, ptr %118, align 8, !tbaa !24
  %120 = getelementptr i8, ptr %6, i64 %117
  %121 = load double, ptr %120, align 8, !tbaa !24
  %122 = fmul contract double %119, %121
  %123 = fadd contract double %115, %122
  %124 = shl i64 %116, 3
  %125 = or disjoint i64 %124, 8
  %126 = getelementptr i8, ptr %0, i64 %125
  %127 = load double, ptr %126, align 8, !tbaa !24
  %128 = getelementptr i8, ptr %6, i64 %125
  %129 = load double, ptr %128, align 8, !tbaa !24
  %130 = fmul contract double %127, %129
  %131 = fadd contract double %123, %130
  %132 = shl i64 %116, 3
  %133 = or disjoint i64 %132, 16
  %134 = getelementptr i8, ptr %0, i64 %133
  %135 = load double, ptr %134, align 8, !tbaa !24
  %136 = getelementptr i8, ptr %6, i64 %133
  %137 = load double, ptr %136, align 8, !tbaa !24
  %138 = fmul contract double %135, %137
  %139 = fadd contract double %131, %138
  %140 = shl i64 %116, 3
  %141 = or disjoint i64 %140, 24
  %142 = getelementptr i8, ptr %0, i64 %141
  %143 = load double, ptr %142, align 8, !tbaa !24
  %144 = getelementptr i8, ptr %6, i64 %141
  %145 = load double, ptr %144, align 8, !tbaa !24
  %146 = fmul contract double %143, %145
  %147 = fadd contract double %139, %146
  %148 = add nuw nsw i64 %116, 4
  %niter628.next.3 = add i64 %niter628, 4
  %niter628.ncmp.3 = icmp eq i64 %niter628.next.3, %unroll_iter627
  br i1 %niter628.ncmp.3, label %_FortranADotProductReal8_contract_f64_f64_simplified.exit.loopexit.unr-lcssa, label %.lr.ph.i523

_FortranADotProductReal8_contract_f64_f64_simplified.exit.loopexit.unr-lcssa: ; preds = %.lr.ph.i523, %.lr.ph.i523.preheader
  %.lcssa610.ph = phi double [ poison, %.lr.ph.i523.preheader ], [ %147, %.lr.ph.i523 ]
  %.unr623 = phi double [ 0.000000e+00, %.lr.ph.i523.preheader ], [ %147, %.lr.ph.i523 ]
  %.unr624 = phi i64 [ 0, %.lr.ph.i523.preheader ], [ %148, %.lr.ph.i523 ]
  %lcmp.mod625.not = icmp eq i64 %xtraiter621, 0
  br i1 %lcmp.mod625.not, label %_FortranADotProductReal8_contract_f64_f64_simplified.exit, label %.lr.ph.i523.epil

.lr.ph.i523.epil:                                 ; preds = %_FortranADotProductReal8_contract_f64_f64_simplified.exit.loopexit.unr-lcssa, %.lr.ph.i523.epil
  %149 = phi double [ %157, %.lr.ph.i523.epil ], [ %.unr623, %_FortranADotProductReal8_contract_f64_f64_simplified.exit.loopexit.unr-lcssa ]
  %150 = phi i64 [ %158, %.lr.ph.i523.epil ], [ %.unr624, %_FortranADotProductReal8_contract_f64_f64_simplified.exit.loopexit.unr-lcssa ]
  %epil.iter622 = phi i64 [ %epil.iter622.next, %.lr.ph.i523.epil ], [ 0, %_FortranADotProductReal8_contract_f64_f64_simplified.exit.loopexit.unr-lcssa ]
  %151 = shl nsw i64 %150, 3
  %152 = getelementptr i8, ptr %0, i64 %151
  %153 = load double, ptr %152, align 8, !tbaa !24
  %154 = getelementptr i8, ptr %6, i64 %151
  %155 = load double, ptr %154, align 8, !tbaa !24
  %156 = fmul contract double %153, %155
  %157 = fadd contract double %149, %156
  %158 = add nuw nsw i64 %150, 1
  %epil.iter622.next = add i64 %epil.iter622, 1
  %epil.iter622.cmp.not = icmp eq i64 %epil.iter622.next, %xtraiter621
  br i1 %epil.iter622.cmp.not, label %_FortranADotProductReal8_contract_f64_f64_simplified.exit, label %.lr.ph.i523.epil, !llvm.loop !28

_FortranADotProductReal8_contract_f64_f64_simplified.exit: ; preds = %_FortranADotProductReal8_contract_f64_f64_simplified.exit.loopexit.unr-lcssa, %.lr.ph.i523.epil, %_FortranASumReal8x1_contract_simplified.exit
  %.lcssa.i522 = phi double [ 0.000000e+00, %_FortranASumReal8x1_contract_simplified.exit ], [ %.lcssa610.ph, %_FortranADotProductReal8_contract_f64_f64_simplified.exit.loopexit.unr-lcssa ], [ %157, %.lr.ph.i523.epil ]
  br i1 %.not, label %_FortranAMaxvalReal8x1_contract_simplified.exit, label %.lr.ph.i526.preheader

.lr.ph.i526.preheader:                            ; preds = %_FortranADotProductReal8_contract_f64_f64_simplified.exit
  %xtraiter629 = and i64 %1, 1
  %159 = icmp eq i64 %1, 1
  br i1 %159, label %_FortranAMaxvalReal8x1_contract_simplified.exit.loopexit.unr-lcssa, label %.lr.ph.i526.preheader.new

.lr.ph.i526.preheader.new:                        ; preds = %.lr.ph.i526.preheader
  %unroll_iter635 = and i64 %1, 9223372036854775806
  br label %.lr.ph.i526

.lr.ph.i526:                                      ; preds = %.lr.ph.i526, %.lr.ph.i526.preheader.new
  %160 = phi double [ 0xFFEFFFFFFFFFFFFF, %.lr.ph.i526.preheader.new ], [ %172, %.lr.ph.i526 ]
  %161 = phi i64 [ 0, %.lr.ph.i526.preheader.new ], [ %173, %.lr.ph.i526 ]
  %niter636 = phi i64 [ 0, %.lr.ph.i526.preheader.new ], [ %niter636.next.1, %.lr.ph.i526 ]
  %162 = shl nsw i64 %161, 3
  %163 = getelementptr i8, ptr %6, i64 %162
  %164 = load double, ptr %163, align 8, !tbaa !29
  %165 = fcmp contract ogt double %164, %160
  %166 = select i1 %165, double %164, double %160
  %167 = shl i64 %161, 3
  %168 = or disjoint i64 %167, 8
  %169 = getelementptr i8, ptr %6, i64 %168
  %170 = load double, ptr %169, align 8, !tbaa !29
  %171 = fcmp contract ogt double %170, %166
  %172 = select i1 %171, double %170, double %166
  %173 = add nuw nsw i64 %161, 2
  %niter636.next.1 = add i64 %niter636, 2
  %niter636.ncmp.1 = icmp eq i64 %niter636.next.1, %unroll_iter635
  br i1 %niter636.ncmp.1, label %_FortranAMaxvalReal8x1_contract_simplified.exit.loopexit.unr-lcssa.loopexit, label %.lr.ph.i526

_FortranAMaxvalReal8x1_contract_simplified.exit.loopexit.unr-lcssa.loopexit: ; preds = %.lr.ph.i526
  %174 = shl nsw i64 %173, 3
  br label %_FortranAMaxvalReal8x1_contract_simplified.exit.loopexit.unr-lcssa

_FortranAMaxvalReal8x1_contract_simplified.exit.loopexit.unr-lcssa: ; preds = %_FortranAMaxvalReal8x1_contract_simplified.exit.loopexit.unr-lcssa.loopexit, %.lr.ph.i526.preheader
  %.lcssa.ph = phi double [ poison, %.lr.ph.i526.preheader ], [ %172, %_FortranAMaxvalReal8x1_contract_simplified.exit.loopexit.unr-lcssa.loopexit ]
  %.unr631 = phi double [ 0xFFEFFFFFFFFFFFFF, %.lr.ph.i526.preheader ], [ %172, %_FortranAMaxvalReal8x1_contract_simplified.exit.loopexit.unr-lcssa.loopexit ]
  %.unr632 = phi i64 [ 0, %.lr.ph.i526.preheader ], [ %174, %_FortranAMaxvalReal8x1_contract_simplified.exit.loopexit.unr-lcssa.loopexit ]
  %lcmp.mod633.not = icmp eq i64 %xtraiter629, 0
  br i1 %lcmp.mod633.not, label %_FortranAMaxvalReal8x1_contract_simplified.exit, label %.lr.ph.i526.epil

.lr.ph.i526.epil:                                 ; preds = %_FortranAMaxvalReal8x1_contract_simplified.exit.loopexit.unr-lcssa
  %175 = getelementptr i8, ptr %6, i64 %.unr632
  %176 = load double, ptr %175, align 8, !tbaa !29
  %177 = fcmp contract ogt double %176, %.unr631
  %178 = select i1 %177, double %176, double %.unr631
  br label %_FortranAMaxvalReal8x1_contract_simplified.exit

_FortranAMaxvalReal8x1_contract_simplified.exit:  ; preds = %.lr.ph.i526.epil, %_FortranAMaxvalReal8x1_contract_simplified.exit.loopexit.unr-lcssa, %_FortranADotProductReal8_contract_f64_f64_simplified.exit
  %.lcssa.i525 = phi double [ 0xFFEFFFFFFFFFFFFF, %_FortranADotProductReal8_contract_f64_f64_simplified.exit ], [ %.lcssa.ph, %_FortranAMaxvalReal8x1_contract_simplified.exit.loopexit.unr-lcssa ], [ %178, %.lr.ph.i526.epil ]
  %179 = getelementptr double, ptr %0, i64 %1
  %180 = getelementptr i8, ptr %179, i64 -8
  %181 = load double, ptr %180, align 8, !tbaa !3
  tail call void @free(ptr %6)
  %182 = fadd contract double %.lcssa.i, %.lcssa.i522
  %183 = tail call contract double @llvm.sin.f64(double %181)
  %184 = fmul contract double %.lcssa.i525, %183
  %185 = fadd contract double %182, %184
  ret double %185
}

declare double @llvm.sin.f64(double) #3

declare i64 @llvm.smax.i64(i64, i64) #4

attributes #0 = { mustprogress nounwind willreturn allockind("free") memory(argmem: readwrite, inaccessiblemem: readwrite) "alloc-family"="malloc" }
attributes #1 = { mustprogress nofree nounwind willreturn allockind("alloc,uninitialized") allocsize(0) memory(inaccessiblemem: readwrite) "alloc-family"="malloc" }
attributes #2 = { nounwind memory(readwrite, argmem: read) "target-cpu"="x86-64" }
attributes #3 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #4 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }

!llvm.module.flags = !{!0, !1, !2}

!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = !{i32 8, !"PIC Level", i32 2}
!2 = !{i32 7, !"PIE Level", i32 2}
!3 = !{!4, !4, i64 0}
!4 = !{!"dummy arg data/_QFfEx", !5, i64 0}
!5 = !{!"dummy arg data", !6, i64 0}
!6 = !{!"any data access", !7, i64 0}
!7 = !{!"any access", !8, i64 0}
!8 = !{!"Flang function root f"}
!9 = !{!6, !6, i64 0}
!10 = distinct !{!10, !11, !12}
!11 = !{!"llvm.loop.isvectorized", i32 1}
!12 = !{!"llvm.loop.unroll.runtime.disable"}
!13 = distinct !{!13, !11, !12}
!14 = distinct !{!14, !11}
!15 = distinct !{!15, !11}
!16 = distinct !{!16, !11, !12}
!17 = distinct !{!17, !12, !11}
!18 = !{!19, !19, i64 0}
!19 = !{!"any data access", !20, i64 0}
!20 = !{!"any access", !21, i64 0}
!21 = !{!"Flang function root _FortranASumReal8x1_contract_simplified"}
!22 = distinct !{!22, !23}
!23 = !{!"llvm.loop.unroll.disable"}
!24 = !{!25, !25, i64 0}
!25 = !{!"any data access", !26, i64 0}
!26 = !{!"any access", !27, i64 0}
!27 = !{!"Flang function root _FortranADotProductReal8_contract_f64_f64_simplified"}
!28 = distinct !{!28, !23}
!29 = !{!30, !30, i64 0}
!30 = !{!"any data access", !31, i64 0}
!31 = !{!"any access", !32, i64 0}
!32 = !{!"Flang function root _FortranAMaxvalReal8x1_contract_simplified"}

declare double @__enzyme_autodiff(ptr, ...)
declare double @__enzyme_fwddiff(ptr, ...)

define void @reverse(ptr %a0, ptr %d0, i64 %a1, ptr %result) {
  %r = call double (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %a0, ptr %d0, i64 %a1)
  ret void
}

define void @forward(ptr %a0, ptr %d0, i64 %a1, ptr %result) {
  %r = call double (ptr, ...) @__enzyme_fwddiff(ptr @f, ptr %a0, ptr %d0, i64 %a1)
  store double %r, ptr %result, align 4
  ret void
}
