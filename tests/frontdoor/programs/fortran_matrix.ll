; arguments: [0.5 -1 2 0.7] i64:4
; returns: double
; The compiler of Fortran, flang 19 printed this of the source that is here as a comment.
; ! Arrays of two dimensions by reference, sections, a subroutine with an explicit interface, matmul.
; module work
; contains
;   subroutine smooth(a, h)
;     double precision, intent(inout) :: a(:, :)
;     double precision, intent(in) :: h
;     integer :: i, j
;     do j = 2, size(a, 2) - 1
;       do i = 2, size(a, 1) - 1
;         a(i, j) = a(i, j) + h * (a(i + 1, j) + a(i - 1, j) - 2 * a(i, j)) * a(i, j + 1)
;       end do
;     end do
;   end subroutine
; end module
; double precision function f(x, n) bind(C)
;   use iso_c_binding
;   use work
;   integer(c_long), value :: n
;   real(c_double), intent(in) :: x(n)
;   real(c_double) :: a(4, 4), b(2, 2)
;   integer :: i, j
;   do j = 1, 4
;     do i = 1, 4
;       a(i, j) = x(mod(i * j, int(n)) + 1) + i
;     end do
;   end do
;   call smooth(a, x(1))
;   call smooth(a(:, 2:4), 0.5d0)
;   b = a(2:3, 2:3)
;   b(:, 1) = b(:, 1) * x(2)
;   f = b(1, 1) * b(2, 2) - b(1, 2) * b(2, 1) + sum(a)
; end function
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

define void @_QMworkPsmooth(ptr nocapture readonly %0, ptr nocapture readonly %1) local_unnamed_addr #0 {
  %3 = getelementptr i8, ptr %0, i64 40
  %4 = getelementptr i8, ptr %0, i64 56
  %5 = load i64, ptr %4, align 8, !tbaa !3
  %6 = getelementptr i8, ptr %0, i64 64
  %7 = shl i64 %5, 32
  %sext = add i64 %7, -4294967296
  %8 = ashr exact i64 %sext, 32
  %9 = icmp sgt i64 %8, 1
  br i1 %9, label %.lr.ph9, label %._crit_edge10

.lr.ph9:                                          ; preds = %2
  %10 = getelementptr i8, ptr %0, i64 32
  %11 = load i64, ptr %10, align 8, !tbaa !3
  %12 = shl i64 %11, 32
  %sext5 = add i64 %12, -4294967296
  %13 = ashr exact i64 %sext5, 32
  %14 = icmp sgt i64 %13, 1
  br label %15

15:                                               ; preds = %.lr.ph9, %._crit_edge
  %indvars.iv12 = phi i64 [ 2, %.lr.ph9 ], [ %indvars.iv.next13, %._crit_edge ]
  br i1 %14, label %.lr.ph, label %._crit_edge

.lr.ph:                                           ; preds = %15
  %16 = load i64, ptr %3, align 8, !tbaa !3
  %17 = add nsw i64 %indvars.iv12, -1
  %18 = load i64, ptr %6, align 8, !tbaa !3
  %19 = mul nsw i64 %18, %17
  %20 = load ptr, ptr %0, align 8, !tbaa !3
  %21 = getelementptr i8, ptr %20, i64 %19
  %22 = load double, ptr %1, align 8, !tbaa !7
  %23 = shl i64 %indvars.iv12, 32
  %sext16 = add i64 %23, 4294967296
  %24 = ashr exact i64 %sext16, 32
  %25 = add nsw i64 %24, -1
  %26 = mul nsw i64 %18, %25
  %27 = getelementptr i8, ptr %20, i64 %26
  br label %28

28:                                               ; preds = %.lr.ph, %28
  %indvars.iv = phi i64 [ 2, %.lr.ph ], [ %indvars.iv.next, %28 ]
  %29 = add nsw i64 %indvars.iv, -1
  %30 = mul nsw i64 %16, %29
  %31 = getelementptr i8, ptr %21, i64 %30
  %32 = load double, ptr %31, align 8, !tbaa !11
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %sext17 = shl i64 %indvars.iv.next, 32
  %33 = ashr exact i64 %sext17, 32
  %34 = add nsw i64 %33, -1
  %35 = mul nsw i64 %16, %34
  %36 = getelementptr i8, ptr %21, i64 %35
  %37 = load double, ptr %36, align 8, !tbaa !11
  %38 = add nsw i64 %indvars.iv, -2
  %39 = mul nsw i64 %16, %38
  %40 = getelementptr i8, ptr %21, i64 %39
  %41 = load double, ptr %40, align 8, !tbaa !11
  %42 = fadd contract double %37, %41
  %43 = fmul contract double %32, 2.000000e+00
  %44 = fsub contract double %42, %43
  %45 = fmul contract double %22, %44
  %46 = getelementptr i8, ptr %27, i64 %30
  %47 = load double, ptr %46, align 8, !tbaa !11
  %48 = fmul contract double %47, %45
  %49 = fadd contract double %32, %48
  store double %49, ptr %31, align 8, !tbaa !11
  %exitcond.not = icmp eq i64 %indvars.iv, %13
  br i1 %exitcond.not, label %._crit_edge, label %28

._crit_edge:                                      ; preds = %28, %15
  %indvars.iv.next13 = add nuw nsw i64 %indvars.iv12, 1
  %exitcond15.not = icmp eq i64 %indvars.iv12, %8
  br i1 %exitcond15.not, label %._crit_edge10, label %15

._crit_edge10:                                    ; preds = %._crit_edge, %2
  ret void
}

define double @f(ptr nocapture readonly %0, i64 %1) local_unnamed_addr #1 {
.preheader69:
  %2 = trunc i64 %1 to i32
  %invariant.gep = getelementptr i8, ptr %0, i64 -8
  %3 = srem i32 1, %2
  %4 = zext nneg i32 %3 to i64
  %5 = getelementptr double, ptr %invariant.gep, i64 %4
  %gep = getelementptr i8, ptr %5, i64 8
  %6 = load double, ptr %gep, align 8, !tbaa !13
  %7 = srem i32 2, %2
  %8 = zext nneg i32 %7 to i64
  %9 = getelementptr double, ptr %invariant.gep, i64 %8
  %gep.1 = getelementptr i8, ptr %9, i64 8
  %10 = load double, ptr %gep.1, align 8, !tbaa !13
  %11 = srem i32 3, %2
  %12 = zext nneg i32 %11 to i64
  %13 = getelementptr double, ptr %invariant.gep, i64 %12
  %gep.2 = getelementptr i8, ptr %13, i64 8
  %14 = load double, ptr %gep.2, align 8, !tbaa !13
  %15 = srem i32 4, %2
  %16 = zext nneg i32 %15 to i64
  %17 = getelementptr double, ptr %invariant.gep, i64 %16
  %gep.3 = getelementptr i8, ptr %17, i64 8
  %18 = load double, ptr %gep.3, align 8, !tbaa !13
  %19 = srem i32 2, %2
  %20 = zext nneg i32 %19 to i64
  %21 = getelementptr double, ptr %invariant.gep, i64 %20
  %gep.194 = getelementptr i8, ptr %21, i64 8
  %22 = load double, ptr %gep.194, align 8, !tbaa !13
  %23 = srem i32 4, %2
  %24 = zext nneg i32 %23 to i64
  %25 = getelementptr double, ptr %invariant.gep, i64 %24
  %gep.1.1 = getelementptr i8, ptr %25, i64 8
  %26 = load double, ptr %gep.1.1, align 8, !tbaa !13
  %27 = srem i32 6, %2
  %28 = zext nneg i32 %27 to i64
  %29 = getelementptr double, ptr %invariant.gep, i64 %28
  %gep.2.1 = getelementptr i8, ptr %29, i64 8
  %30 = load double, ptr %gep.2.1, align 8, !tbaa !13
  %31 = srem i32 8, %2
  %32 = zext nneg i32 %31 to i64
  %33 = getelementptr double, ptr %invariant.gep, i64 %32
  %gep.3.1 = getelementptr i8, ptr %33, i64 8
  %34 = load double, ptr %gep.3.1, align 8, !tbaa !13
  %35 = srem i32 3, %2
  %36 = zext nneg i32 %35 to i64
  %37 = getelementptr double, ptr %invariant.gep, i64 %36
  %gep.296 = getelementptr i8, ptr %37, i64 8
  %38 = load double, ptr %gep.296, align 8, !tbaa !13
  %39 = srem i32 6, %2
  %40 = zext nneg i32 %39 to i64
  %41 = getelementptr double, ptr %invariant.gep, i64 %40
  %gep.1.2 = getelementptr i8, ptr %41, i64 8
  %42 = load double, ptr %gep.1.2, align 8, !tbaa !13
  %43 = srem i32 9, %2
  %44 = zext nneg i32 %43 to i64
  %45 = getelementptr double, ptr %invariant.gep, i64 %44
  %gep.2.2 = getelementptr i8, ptr %45, i64 8
  %46 = load double, ptr %gep.2.2, align 8, !tbaa !13
  %47 = srem i32 12, %2
  %48 = zext nneg i32 %47 to i64
  %49 = getelementptr double, ptr %invariant.gep, i64 %48
  %gep.3.2 = getelementptr i8, ptr %49, i64 8
  %50 = load double, ptr %gep.3.2, align 8, !tbaa !13
  %51 = srem i32 4, %2
  %52 = zext nneg i32 %51 to i64
  %53 = getelementptr double, ptr %invariant.gep, i64 %52
  %gep.398 = getelementptr i8, ptr %53, i64 8
  %54 = load double, ptr %gep.398, align 8, !tbaa !13
  %55 = srem i32 8, %2
  %56 = zext nneg i32 %55 to i64
  %57 = getelementptr double, ptr %invariant.gep, i64 %56
  %gep.1.3 = getelementptr i8, ptr %57, i64 8
  %58 = load double, ptr %gep.1.3, align 8, !tbaa !13
  %59 = srem i32 12, %2
  %60 = zext nneg i32 %59 to i64
  %61 = getelementptr double, ptr %invariant.gep, i64 %60
  %gep.2.3 = getelementptr i8, ptr %61, i64 8
  %62 = load double, ptr %gep.2.3, align 8, !tbaa !13
  %63 = srem i32 16, %2
  %64 = zext nneg i32 %63 to i64
  %65 = getelementptr double, ptr %invariant.gep, i64 %64
  %gep.3.3 = getelementptr i8, ptr %65, i64 8
  %66 = load double, ptr %gep.3.3, align 8, !tbaa !13
  %67 = load double, ptr %0, align 8, !tbaa !7
  %68 = getelementptr i8, ptr %0, i64 8
  %69 = load double, ptr %68, align 8, !tbaa !13
  %70 = fadd contract double %6, 1.000000e+00
  %71 = fadd contract double %10, 2.000000e+00
  %72 = fadd contract double %70, %71
  %73 = fadd contract double %14, 3.000000e+00
  %74 = fadd contract double %72, %73
  %75 = fadd contract double %18, 4.000000e+00
  %76 = fadd contract double %74, %75
  %77 = fadd contract double %22, 1.000000e+00
  %78 = fadd contract double %76, %77
  %79 = fadd contract double %26, 2.000000e+00
  %80 = fadd contract double %42, 2.000000e+00
  %81 = fadd contract double %30, 3.000000e+00
  %82 = fadd contract double %81, %77
  %83 = fmul contract double %79, 2.000000e+00
  %84 = fsub contract double %82, %83
  %85 = fmul contract double %67, %84
  %86 = fmul contract double %80, %85
  %87 = fadd contract double %79, %86
  %88 = fadd contract double %78, %87
  %89 = fadd contract double %46, 3.000000e+00
  %90 = fadd contract double %34, 4.000000e+00
  %91 = fadd contract double %90, %87
  %92 = fmul contract double %81, 2.000000e+00
  %93 = fsub contract double %91, %92
  %94 = fmul contract double %67, %93
  %95 = fmul contract double %89, %94
  %96 = fadd contract double %81, %95
  %97 = fadd contract double %88, %96
  %98 = fadd contract double %97, %90
  %99 = fadd contract double %38, 1.000000e+00
  %100 = fadd contract double %98, %99
  %101 = fadd contract double %58, 2.000000e+00
  %102 = fadd contract double %89, %99
  %103 = fmul contract double %80, 2.000000e+00
  %104 = fsub contract double %102, %103
  %105 = fmul contract double %67, %104
  %106 = fmul contract double %101, %105
  %107 = fadd contract double %80, %106
  %108 = fadd contract double %62, 3.000000e+00
  %109 = fadd contract double %50, 4.000000e+00
  %110 = fadd contract double %109, %107
  %111 = fmul contract double %89, 2.000000e+00
  %112 = fsub contract double %110, %111
  %113 = fmul contract double %67, %112
  %114 = fmul contract double %108, %113
  %115 = fadd contract double %89, %114
  %116 = fadd contract double %115, %99
  %117 = fmul contract double %107, 2.000000e+00
  %118 = fsub contract double %116, %117
  %119 = fmul contract double %118, 5.000000e-01
  %120 = fmul contract double %101, %119
  %121 = fadd contract double %107, %120
  %122 = fadd contract double %100, %121
  %123 = fadd contract double %109, %121
  %124 = fmul contract double %115, 2.000000e+00
  %125 = fsub contract double %123, %124
  %126 = fmul contract double %125, 5.000000e-01
  %127 = fmul contract double %108, %126
  %128 = fadd contract double %115, %127
  %129 = fadd contract double %122, %128
  %130 = fadd contract double %129, %109
  %131 = fmul contract double %69, %96
  %132 = fmul contract double %69, %87
  %133 = fadd contract double %66, 4.000000e+00
  %134 = fadd contract double %54, 1.000000e+00
  %135 = fadd contract double %130, %134
  %136 = fadd contract double %135, %101
  %137 = fadd contract double %136, %108
  %138 = fadd contract double %137, %133
  %139 = fmul contract double %132, %128
  %140 = fmul contract double %121, %131
  %141 = fsub contract double %139, %140
  %142 = fadd contract double %141, %138
  ret double %142
}

attributes #0 = { nofree norecurse nosync nounwind memory(readwrite, inaccessiblemem: none) "target-cpu"="x86-64" }
attributes #1 = { mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: read) "target-cpu"="x86-64" }

!llvm.module.flags = !{!0, !1, !2}

!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = !{i32 8, !"PIC Level", i32 2}
!2 = !{i32 7, !"PIE Level", i32 2}
!3 = !{!4, !4, i64 0}
!4 = !{!"descriptor member", !5, i64 0}
!5 = !{!"any access", !6, i64 0}
!6 = !{!"Flang function root _QMworkPsmooth"}
!7 = !{!8, !8, i64 0}
!8 = !{!"dummy arg data/_QMworkFsmoothEh", !9, i64 0}
!9 = !{!"dummy arg data", !10, i64 0}
!10 = !{!"any data access", !5, i64 0}
!11 = !{!12, !12, i64 0}
!12 = !{!"dummy arg data/_QMworkFsmoothEa", !9, i64 0}
!13 = !{!14, !14, i64 0}
!14 = !{!"dummy arg data/_QFfEx", !15, i64 0}
!15 = !{!"dummy arg data", !16, i64 0}
!16 = !{!"any data access", !17, i64 0}
!17 = !{!"any access", !18, i64 0}
!18 = !{!"Flang function root f"}

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
