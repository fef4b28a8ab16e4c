; arguments: [0.5 1.3 -0.2] i64:3
; returns: double
; The compiler of Rust 1.85 (LLVM 19) printed this of the source that is here as a comment.
; // Arrays of arrays, early return, a loop with a label.
; #[no_mangle]
; pub extern "C" fn f(x: *const f64, n: usize) -> f64 {
;     let x = unsafe { std::slice::from_raw_parts(x, n) };
;     let mut a = [[0.0f64; 3]; 3];
;     for i in 0..3 { for j in 0..3 { a[i][j] = x[(i + j) % n] + if i == j { 3.0 } else { 0.0 }; } }
;     let mut b = [1.0, x[0], x[1]];
;     for k in 0..3 {
;         if a[k][k].abs() < 1e-12 { return 0.0; }
;         for i in k + 1..3 {
;             let m = a[i][k] / a[k][k];
;             for j in k..3 { a[i][j] -= m * a[k][j]; }
;             b[i] -= m * b[k];
;         }
;     }
;     let mut best = f64::MIN;
;     'rows: for k in (0..3).rev() {
;         for j in k + 1..3 { b[k] -= a[k][j] * b[j]; }
;         b[k] /= a[k][k];
;         if b[k] > 100.0 { break 'rows; }
;         best = best.max(b[k]);
;     }
;     best * b[0] + b[2]
; }
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@alloc_8de4f55bde31ab3617b9addf06ff6447 = private unnamed_addr constant <{ [14 x i8] }> <{ [14 x i8] c"rust_matrix.rs" }>, align 1
@alloc_19ad3fa93f6c461d02534b19b4805338 = private unnamed_addr constant <{ ptr, [16 x i8] }> <{ ptr @alloc_8de4f55bde31ab3617b9addf06ff6447, [16 x i8] c"\0E\00\00\00\00\00\00\00\07\00\00\00\1D\00\00\00" }>, align 8
@alloc_f47cdb492f9ca8345bf4e844fa6d51f6 = private unnamed_addr constant <{ ptr, [16 x i8] }> <{ ptr @alloc_8de4f55bde31ab3617b9addf06ff6447, [16 x i8] c"\0E\00\00\00\00\00\00\00\06\00\00\001\00\00\00" }>, align 8

define noundef double @f(ptr nocapture noundef readonly %x, i64 noundef %n) unnamed_addr #0 {
start:
  %_14 = icmp eq i64 %n, 0
  br i1 %_14, label %panic36, label %bb61.preheader

bb61.preheader:                                   ; preds = %start
  %_11 = load double, ptr %x, align 8, !noundef !3
  %0 = fadd double %_11, 3.000000e+00
  %1 = icmp ne i64 %n, 1
  %_12.1 = zext i1 %1 to i64
  %2 = getelementptr inbounds double, ptr %x, i64 %_12.1
  %_11.1 = load double, ptr %2, align 8, !noundef !3
  %3 = fadd double %_11.1, 0.000000e+00
  %_12.2 = urem i64 2, %n
  %4 = getelementptr inbounds double, ptr %x, i64 %_12.2
  %_11.2 = load double, ptr %4, align 8, !noundef !3
  %5 = fadd double %_11.2, 0.000000e+00
  %6 = fadd double %_11.2, 3.000000e+00
  %_12.2.1 = urem i64 3, %n
  %7 = getelementptr inbounds double, ptr %x, i64 %_12.2.1
  %_11.2.1 = load double, ptr %7, align 8, !noundef !3
  %8 = fadd double %_11.2.1, 0.000000e+00
  %_12.2.2 = urem i64 4, %n
  %9 = getelementptr inbounds double, ptr %x, i64 %_12.2.2
  %_11.2.2 = load double, ptr %9, align 8, !noundef !3
  %10 = fadd double %_11.2.2, 3.000000e+00
  %cond = icmp eq i64 %n, 1
  br i1 %cond, label %panic10, label %bb16

bb16:                                             ; preds = %bb61.preheader
  %11 = tail call double @llvm.fabs.f64(double %0)
  %_31 = fcmp olt double %11, 0x3D719799812DEA11
  br i1 %_31, label %bb57, label %bb17.loopexit

panic10:                                          ; preds = %bb61.preheader
  tail call void @_ZN4core9panicking18panic_bounds_check17ha86acd575e3636dfE(i64 noundef 1, i64 noundef 1, ptr noalias noundef nonnull readonly align 8 dereferenceable(24) @alloc_19ad3fa93f6c461d02534b19b4805338) #4
  unreachable

bb17.loopexit:                                    ; preds = %bb16
  %m = fdiv double %3, %0
  %_46.1105 = fmul double %m, %3
  %12 = fsub double %6, %_46.1105
  %_46.2 = fmul double %m, %5
  %13 = fsub double %8, %_46.2
  %14 = fsub double %_11, %m
  %15 = tail call double @llvm.fabs.f64(double %12)
  %_31.1 = fcmp olt double %15, 0x3D719799812DEA11
  br i1 %_31.1, label %bb57, label %bb17.loopexit.1

bb17.loopexit.1:                                  ; preds = %bb17.loopexit
  %m.1109 = fdiv double %5, %0
  %_46.2.1 = fmul double %m.1109, %5
  %16 = fsub double %10, %_46.2.1
  %_46.1105.1 = fmul double %m.1109, %3
  %17 = fsub double %8, %_46.1105.1
  %m.1 = fdiv double %17, %12
  %_46.1.1 = fmul double %m.1, %13
  %18 = fsub double %16, %_46.1.1
  %19 = tail call double @llvm.fabs.f64(double %18)
  %_31.2 = fcmp olt double %19, 0x3D719799812DEA11
  br i1 %_31.2, label %bb57, label %bb44

bb56:                                             ; preds = %bb55.2, %bb44.2, %bb44.1, %bb44
  %b.sroa.0.0 = phi double [ 1.000000e+00, %bb44 ], [ 1.000000e+00, %bb44.1 ], [ %31, %bb44.2 ], [ %31, %bb55.2 ]
  %best.sroa.0.0.lcssa = phi double [ 0xFFEFFFFFFFFFFFFF, %bb44 ], [ %25, %bb44.1 ], [ %28, %bb44.2 ], [ %32, %bb55.2 ]
  %_71 = fmul double %best.sroa.0.0.lcssa, %b.sroa.0.0
  %20 = fadd double %_71, %24
  br label %bb57

bb44:                                             ; preds = %bb17.loopexit.1
  %21 = getelementptr inbounds i8, ptr %x, i64 8
  %_25 = load double, ptr %21, align 8, !noundef !3
  %22 = fsub double %_25, %m.1109
  %_49.1 = fmul double %m.1, %14
  %23 = fsub double %22, %_49.1
  %24 = fdiv double %23, %18
  %_66 = fcmp ogt double %24, 1.000000e+02
  br i1 %_66, label %bb56, label %bb44.1

bb44.1:                                           ; preds = %bb44
  %25 = tail call double @llvm.maxnum.f64(double %24, double 0xFFEFFFFFFFFFFFFF)
  %_59.1 = fmul double %13, %24
  %26 = fsub double %14, %_59.1
  %27 = fdiv double %26, %12
  %_66.1 = fcmp ogt double %27, 1.000000e+02
  br i1 %_66.1, label %bb56, label %bb44.2

bb44.2:                                           ; preds = %bb44.1
  %28 = tail call double @llvm.maxnum.f64(double %25, double %27)
  %_59.2 = fmul double %3, %27
  %29 = fsub double 1.000000e+00, %_59.2
  %_59.2.1 = fmul double %5, %24
  %30 = fsub double %29, %_59.2.1
  %31 = fdiv double %30, %0
  %_66.2 = fcmp ogt double %31, 1.000000e+02
  br i1 %_66.2, label %bb56, label %bb55.2

bb55.2:                                           ; preds = %bb44.2
  %32 = tail call double @llvm.maxnum.f64(double %28, double %31)
  br label %bb56

bb57:                                             ; preds = %bb16, %bb17.loopexit, %bb17.loopexit.1, %bb56
  %_0.sroa.0.0 = phi double [ %20, %bb56 ], [ 0.000000e+00, %bb17.loopexit.1 ], [ 0.000000e+00, %bb17.loopexit ], [ 0.000000e+00, %bb16 ]
  ret double %_0.sroa.0.0

panic36:                                          ; preds = %start
  tail call void @_ZN4core9panicking11panic_const23panic_const_rem_by_zero17h826fbe7a099e6b2cE(ptr noalias noundef nonnull readonly align 8 dereferenceable(24) @alloc_f47cdb492f9ca8345bf4e844fa6d51f6) #4
  unreachable
}

declare void @_ZN4core9panicking18panic_bounds_check17ha86acd575e3636dfE(i64 noundef, i64 noundef, ptr noalias noundef readonly align 8 dereferenceable(24)) unnamed_addr #1

declare double @llvm.maxnum.f64(double, double) #2

declare double @llvm.fabs.f64(double) #2

declare void @_ZN4core9panicking11panic_const23panic_const_rem_by_zero17h826fbe7a099e6b2cE(ptr noalias noundef readonly align 8 dereferenceable(24)) unnamed_addr #3

attributes #0 = { nounwind nonlazybind "probe-stack"="inline-asm" "target-cpu"="x86-64" }
attributes #1 = { cold minsize noinline noreturn nounwind nonlazybind optsize "probe-stack"="inline-asm" "target-cpu"="x86-64" }
attributes #2 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { cold noinline noreturn nounwind nonlazybind "probe-stack"="inline-asm" "target-cpu"="x86-64" }
attributes #4 = { noreturn nounwind }

!llvm.module.flags = !{!0, !1}

!0 = !{i32 8, !"PIC Level", i32 2}
!1 = !{i32 2, !"RtLibUseGOT", i32 1}
!2 = !{!"rustc version 1.85.0 (4d91de4e4 2025-02-17) (built from a source tarball)"}
!3 = !{}

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
