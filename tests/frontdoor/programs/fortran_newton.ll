; arguments: [1.5 0.7 2.1] i64:3
; returns: double
; The compiler of Fortran, flang 19 printed this of the source that is here as a comment.
; ! do while, exit and cycle, a common block, a derived type, elemental functions.
; double precision function f(x, n) bind(C)
;   use iso_c_binding
;   integer(c_long), value :: n
;   real(c_double), intent(in) :: x(n)
;   type :: state
;     double precision :: y, v
;     integer :: steps
;   end type
;   type(state) :: s
;   double precision :: d
;   s%y = x(1)
;   s%v = 0
;   s%steps = 0
;   do while (s%steps < 40)
;     s%steps = s%steps + 1
;     d = (s%y**3 - x(2) * s%y - x(3)) / (3 * s%y**2 - x(2))
;     s%y = s%y - d
;     if (abs(d) < 1d-14) exit
;     if (mod(s%steps, 2) == 0) cycle
;     s%v = s%v + d * d
;   end do
;   f = s%y**2 + s%v * exp(-x(1)) + atan2(x(1), s%y)
; end function
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare double @atan2(double, double) local_unnamed_addr #0

define double @f(ptr nocapture readonly %0, i64 %1) local_unnamed_addr #1 {
  %3 = load double, ptr %0, align 8, !tbaa !3
  %4 = getelementptr i8, ptr %0, i64 8
  %5 = getelementptr i8, ptr %0, i64 16
  br label %.outer

.outer:                                           ; preds = %26, %2
  %.sroa.0.0.ph = phi double [ %21, %26 ], [ %3, %2 ]
  %.sroa.5.0.ph = phi double [ %28, %26 ], [ 0.000000e+00, %2 ]
  %.sroa.9.0.ph = phi i32 [ %8, %26 ], [ 0, %2 ]
  %6 = add i32 %.sroa.9.0.ph, 1
  %7 = and i32 %.sroa.9.0.ph, 1
  %8 = add i32 %6, %7
  %smax = tail call i32 @llvm.smax.i32(i32 %.sroa.9.0.ph, i32 40)
  br label %9

9:                                                ; preds = %.outer, %24
  %.sroa.0.0 = phi double [ %21, %24 ], [ %.sroa.0.0.ph, %.outer ]
  %.sroa.9.0 = phi i32 [ %25, %24 ], [ %.sroa.9.0.ph, %.outer ]
  %exitcond.not = icmp eq i32 %.sroa.9.0, %smax
  br i1 %exitcond.not, label %29, label %10

10:                                               ; preds = %9
  %11 = fmul double %.sroa.0.0, %.sroa.0.0
  %12 = fmul double %.sroa.0.0, %11
  %13 = load double, ptr %4, align 8, !tbaa !3
  %14 = fmul contract double %.sroa.0.0, %13
  %15 = fsub contract double %12, %14
  %16 = load double, ptr %5, align 8, !tbaa !3
  %17 = fsub contract double %15, %16
  %18 = fmul contract double %11, 3.000000e+00
  %19 = fsub contract double %18, %13
  %20 = fdiv contract double %17, %19
  %21 = fsub contract double %.sroa.0.0, %20
  %22 = tail call contract double @llvm.fabs.f64(double %20)
  %23 = fcmp contract olt double %22, 0x3D06849B86A12B9B
  br i1 %23, label %29, label %24

24:                                               ; preds = %10
  %25 = add i32 %.sroa.9.0, 1
  %lftr.wideiv = trunc i32 %25 to i1
  br i1 %lftr.wideiv, label %26, label %9

26:                                               ; preds = %24
  %27 = fmul contract double %20, %20
  %28 = fadd contract double %.sroa.5.0.ph, %27
  br label %.outer

29:                                               ; preds = %10, %9
  %.sroa.0.1 = phi double [ %21, %10 ], [ %.sroa.0.0, %9 ]
  %30 = fmul double %.sroa.0.1, %.sroa.0.1
  %31 = fneg contract double %3
  %32 = tail call contract double @llvm.exp.f64(double %31)
  %33 = fmul contract double %32, %.sroa.5.0.ph
  %34 = fadd contract double %33, %30
  %35 = tail call double @atan2(double %3, double %.sroa.0.1)
  %36 = fadd contract double %35, %34
  ret double %36
}

declare double @llvm.fabs.f64(double) #2

declare double @llvm.exp.f64(double) #2

declare i32 @llvm.smax.i32(i32, i32) #3

attributes #0 = { mustprogress nofree nosync nounwind willreturn memory(none) }
attributes #1 = { nofree nosync nounwind memory(argmem: read) "target-cpu"="x86-64" }
attributes #2 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }

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
