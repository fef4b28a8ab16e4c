; arguments: [0.5 1.3 0.2] i64:3
; returns: double
; The compiler of Rust 1.85 (LLVM 19) printed this of the source that is here as a comment.
; // Structures, traits with dynamic calls, options and matches.
; trait Force { fn of(&self, x: f64) -> f64; }
; struct Spring { k: f64 }
; struct Damped { k: f64, c: f64 }
; impl Force for Spring { fn of(&self, x: f64) -> f64 { -self.k * x } }
; impl Force for Damped { fn of(&self, x: f64) -> f64 { -self.k * x * (-self.c * x * x).exp() } }
; #[inline(never)]
; fn step(f: &dyn Force, state: (f64, f64), h: f64) -> (f64, f64) {
;     let v = state.1 + h * f.of(state.0);
;     (state.0 + h * v, v)
; }
; fn limited(x: f64) -> Option<f64> { if x > -10.0 { Some(x * x) } else { None } }
; #[no_mangle]
; pub extern "C" fn f(x: *const f64, n: usize) -> f64 {
;     let x = unsafe { std::slice::from_raw_parts(x, n) };
;     let a = Spring { k: x[0] };
;     let b = Damped { k: x[1], c: x[2] };
;     let mut s = (1.0, 0.0);
;     for i in 0..6 {
;         let g: &dyn Force = if i % 2 == 0 { &a } else { &b };
;         s = step(g, s, 0.1);
;     }
;     match limited(s.0) { Some(v) => v + s.1, None => 0.0 }
; }
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@alloc_807f6dcea29d873d128c7dbd4467abab = private unnamed_addr constant <{ [15 x i8] }> <{ [15 x i8] c"rust_structs.rs" }>, align 1
@alloc_9d35533a8228c4de59586ee864e51337 = private unnamed_addr constant <{ ptr, [16 x i8] }> <{ ptr @alloc_807f6dcea29d873d128c7dbd4467abab, [16 x i8] c"\0F\00\00\00\00\00\00\00\10\00\00\00\19\00\00\00" }>, align 8
@alloc_a42879f9c8a0a7a80277450fd0820f2f = private unnamed_addr constant <{ ptr, [16 x i8] }> <{ ptr @alloc_807f6dcea29d873d128c7dbd4467abab, [16 x i8] c"\0F\00\00\00\00\00\00\00\11\00\00\00\19\00\00\00" }>, align 8
@alloc_a69c886c524cf272640003b6bd142568 = private unnamed_addr constant <{ ptr, [16 x i8] }> <{ ptr @alloc_807f6dcea29d873d128c7dbd4467abab, [16 x i8] c"\0F\00\00\00\00\00\00\00\11\00\00\00\22\00\00\00" }>, align 8
@vtable.0 = private unnamed_addr constant <{ [24 x i8], ptr }> <{ [24 x i8] c"\00\00\00\00\00\00\00\00\08\00\00\00\00\00\00\00\08\00\00\00\00\00\00\00", ptr @"_ZN60_$LT$rust_structs..Spring$u20$as$u20$rust_structs..Force$GT$2of17h783c41fc05858a2eE" }>, align 8
@vtable.1 = private unnamed_addr constant <{ [24 x i8], ptr }> <{ [24 x i8] c"\00\00\00\00\00\00\00\00\10\00\00\00\00\00\00\00\08\00\00\00\00\00\00\00", ptr @"_ZN60_$LT$rust_structs..Damped$u20$as$u20$rust_structs..Force$GT$2of17hbb54df01e5befa33E" }>, align 8

define internal noundef double @"_ZN60_$LT$rust_structs..Spring$u20$as$u20$rust_structs..Force$GT$2of17h783c41fc05858a2eE"(ptr noalias nocapture noundef readonly align 8 dereferenceable(8) %self, double noundef %x) unnamed_addr #0 {
start:
  %_4 = load double, ptr %self, align 8, !noundef !3
  %_3 = fneg double %_4
  %_0 = fmul double %_3, %x
  ret double %_0
}

define noundef double @"_ZN60_$LT$rust_structs..Damped$u20$as$u20$rust_structs..Force$GT$2of17hbb54df01e5befa33E"(ptr noalias nocapture noundef readonly align 8 dereferenceable(16) %self, double noundef %x) unnamed_addr #0 {
start:
  %_5 = load double, ptr %self, align 8, !noundef !3
  %_4 = fneg double %_5
  %_3 = fmul double %_4, %x
  %0 = getelementptr inbounds i8, ptr %self, i64 8
  %_10 = load double, ptr %0, align 8, !noundef !3
  %_9 = fneg double %_10
  %_8 = fmul double %_9, %x
  %_7 = fmul double %_8, %x
  %1 = tail call double @llvm.exp.f64(double %_7)
  %_0 = fmul double %_3, %1
  ret double %_0
}

define internal fastcc { double, double } @_ZN12rust_structs4step17hf0a3d6e5f89ec292E(ptr noundef nonnull align 1 %f.0, ptr noalias nocapture noundef readonly align 8 dereferenceable(32) %f.1, double noundef %state.0, double noundef %state.1) unnamed_addr #1 {
start:
  %0 = getelementptr inbounds i8, ptr %f.1, i64 24
  %1 = load ptr, ptr %0, align 8, !invariant.load !3, !nonnull !3
  %_7 = tail call noundef double %1(ptr noundef nonnull align 1 %f.0, double noundef %state.0) #6
  %_6 = fmul double %_7, 1.000000e-01
  %v = fadd double %_6, %state.1
  %_10 = fmul double %v, 1.000000e-01
  %_9 = fadd double %_10, %state.0
  %2 = insertvalue { double, double } poison, double %_9, 0
  %3 = insertvalue { double, double } %2, double %v, 1
  ret { double, double } %3
}

define noundef double @f(ptr nocapture noundef readonly %x, i64 noundef %n) unnamed_addr #2 {
start:
  %b = alloca [16 x i8], align 8
  %a = alloca [8 x i8], align 8
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %a)
  %_6.not = icmp eq i64 %n, 0
  br i1 %_6.not, label %panic, label %bb1

bb1:                                              ; preds = %start
  %_4 = load double, ptr %x, align 8, !noundef !3
  store double %_4, ptr %a, align 8
  call void @llvm.lifetime.start.p0(i64 16, ptr nonnull %b)
  %_10.not = icmp eq i64 %n, 1
  br i1 %_10.not, label %panic1, label %bb2

panic:                                            ; preds = %start
  tail call void @_ZN4core9panicking18panic_bounds_check17ha86acd575e3636dfE(i64 noundef 0, i64 noundef 0, ptr noalias noundef nonnull readonly align 8 dereferenceable(24) @alloc_9d35533a8228c4de59586ee864e51337) #7
  unreachable

bb2:                                              ; preds = %bb1
  %_13 = icmp ugt i64 %n, 2
  br i1 %_13, label %bb3, label %panic2

panic1:                                           ; preds = %bb1
  tail call void @_ZN4core9panicking18panic_bounds_check17ha86acd575e3636dfE(i64 noundef 1, i64 noundef 1, ptr noalias noundef nonnull readonly align 8 dereferenceable(24) @alloc_a42879f9c8a0a7a80277450fd0820f2f) #7
  unreachable

bb3:                                              ; preds = %bb2
  %0 = getelementptr inbounds i8, ptr %x, i64 8
  %_8 = load double, ptr %0, align 8, !noundef !3
  %1 = getelementptr inbounds i8, ptr %x, i64 16
  %_11 = load double, ptr %1, align 8, !noundef !3
  store double %_8, ptr %b, align 8
  %2 = getelementptr inbounds i8, ptr %b, i64 8
  store double %_11, ptr %2, align 8
  %3 = call fastcc { double, double } @_ZN12rust_structs4step17hf0a3d6e5f89ec292E(ptr noundef nonnull align 1 %a, ptr noalias noundef nonnull readonly align 8 dereferenceable(32) @vtable.0, double noundef 1.000000e+00, double noundef 0.000000e+00) #6
  %_23.0 = extractvalue { double, double } %3, 0
  %_23.1 = extractvalue { double, double } %3, 1
  %4 = call fastcc { double, double } @_ZN12rust_structs4step17hf0a3d6e5f89ec292E(ptr noundef nonnull align 1 %b, ptr noalias noundef nonnull readonly align 8 dereferenceable(32) @vtable.1, double noundef %_23.0, double noundef %_23.1) #6
  %_23.0.1 = extractvalue { double, double } %4, 0
  %_23.1.1 = extractvalue { double, double } %4, 1
  %5 = call fastcc { double, double } @_ZN12rust_structs4step17hf0a3d6e5f89ec292E(ptr noundef nonnull align 1 %a, ptr noalias noundef nonnull readonly align 8 dereferenceable(32) @vtable.0, double noundef %_23.0.1, double noundef %_23.1.1) #6
  %_23.0.2 = extractvalue { double, double } %5, 0
  %_23.1.2 = extractvalue { double, double } %5, 1
  %6 = call fastcc { double, double } @_ZN12rust_structs4step17hf0a3d6e5f89ec292E(ptr noundef nonnull align 1 %b, ptr noalias noundef nonnull readonly align 8 dereferenceable(32) @vtable.1, double noundef %_23.0.2, double noundef %_23.1.2) #6
  %_23.0.3 = extractvalue { double, double } %6, 0
  %_23.1.3 = extractvalue { double, double } %6, 1
  %7 = call fastcc { double, double } @_ZN12rust_structs4step17hf0a3d6e5f89ec292E(ptr noundef nonnull align 1 %a, ptr noalias noundef nonnull readonly align 8 dereferenceable(32) @vtable.0, double noundef %_23.0.3, double noundef %_23.1.3) #6
  %_23.0.4 = extractvalue { double, double } %7, 0
  %_23.1.4 = extractvalue { double, double } %7, 1
  %8 = call fastcc { double, double } @_ZN12rust_structs4step17hf0a3d6e5f89ec292E(ptr noundef nonnull align 1 %b, ptr noalias noundef nonnull readonly align 8 dereferenceable(32) @vtable.1, double noundef %_23.0.4, double noundef %_23.1.4) #6
  %_23.0.5 = extractvalue { double, double } %8, 0
  %_23.1.5 = extractvalue { double, double } %8, 1
  %_34 = fcmp ogt double %_23.0.5, -1.000000e+01
  %_35 = fmul double %_23.0.5, %_23.0.5
  %9 = fadd double %_23.1.5, %_35
  %_0.sroa.0.0 = select i1 %_34, double %9, double 0.000000e+00
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %b)
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %a)
  ret double %_0.sroa.0.0

panic2:                                           ; preds = %bb2
  tail call void @_ZN4core9panicking18panic_bounds_check17ha86acd575e3636dfE(i64 noundef 2, i64 noundef 2, ptr noalias noundef nonnull readonly align 8 dereferenceable(24) @alloc_a69c886c524cf272640003b6bd142568) #7
  unreachable
}

declare double @llvm.exp.f64(double) #3

declare void @_ZN4core9panicking18panic_bounds_check17ha86acd575e3636dfE(i64 noundef, i64 noundef, ptr noalias noundef readonly align 8 dereferenceable(24)) unnamed_addr #4

declare void @llvm.lifetime.start.p0(i64 immarg, ptr nocapture) #5

declare void @llvm.lifetime.end.p0(i64 immarg, ptr nocapture) #5

attributes #0 = { mustprogress nofree norecurse nosync nounwind nonlazybind willreturn memory(argmem: read) "probe-stack"="inline-asm" "target-cpu"="x86-64" }
attributes #1 = { noinline nounwind nonlazybind "probe-stack"="inline-asm" "target-cpu"="x86-64" }
attributes #2 = { nounwind nonlazybind "probe-stack"="inline-asm" "target-cpu"="x86-64" }
attributes #3 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #4 = { cold minsize noinline noreturn nounwind nonlazybind optsize "probe-stack"="inline-asm" "target-cpu"="x86-64" }
attributes #5 = { mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #6 = { nounwind }
attributes #7 = { noreturn nounwind }

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
