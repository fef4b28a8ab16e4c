; arguments: [0.5 -1 2 0.7] i64:4
; returns: double
; The compiler of Rust 1.85 (LLVM 19) printed this of the source that is here as a comment.
; // Slices with checks of bounds, windows, chunks and splits.
; fn smooth(x: &[f64], out: &mut [f64]) {
;     for i in 0..out.len() {
;         out[i] = 0.5 * (x[i] + x[i + 1]);
;     }
; }
; #[no_mangle]
; pub extern "C" fn f(x: *const f64, n: usize) -> f64 {
;     let x = unsafe { std::slice::from_raw_parts(x, n) };
;     let mut out = [0.0; 3];
;     smooth(x, &mut out);
;     let (a, b) = x.split_at(n / 2);
;     let w: f64 = x.windows(2).map(|p| (p[1] - p[0]).powi(2)).sum();
;     let c: f64 = x.chunks_exact(2).map(|p| p[0] * p[1]).fold(1.0, |s, v| s + v * v);
;     out.iter().zip(a).map(|(o, v)| o * v).sum::<f64>() * b[0] + w * c
; }
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@alloc_740ffef285ef757c069c28a6786a91e4 = private unnamed_addr constant <{ [14 x i8] }> <{ [14 x i8] c"rust_slices.rs" }>, align 1
@alloc_2a37ce0e2c023066afa0a99a929b78c2 = private unnamed_addr constant <{ ptr, [16 x i8] }> <{ ptr @alloc_740ffef285ef757c069c28a6786a91e4, [16 x i8] c"\0E\00\00\00\00\00\00\00\04\00\00\00\19\00\00\00" }>, align 8
@alloc_42149aa92365a75504484d4126c6e6a1 = private unnamed_addr constant <{ ptr, [16 x i8] }> <{ ptr @alloc_740ffef285ef757c069c28a6786a91e4, [16 x i8] c"\0E\00\00\00\00\00\00\00\04\00\00\00 \00\00\00" }>, align 8

define noundef double @f(ptr nocapture noundef readonly %x, i64 noundef %n) unnamed_addr #0 personality ptr @rust_eh_personality {
start:
  %out = alloca [24 x i8], align 8
  call void @llvm.lifetime.start.p0(i64 24, ptr nonnull %out)
  tail call void @llvm.experimental.noalias.scope.decl(metadata !3)
  tail call void @llvm.experimental.noalias.scope.decl(metadata !6)
  %umax.i = tail call i64 @llvm.umax.i64(i64 %n, i64 1)
  %0 = add i64 %umax.i, -1
  %exitcond.not.i = icmp eq i64 %n, 0
  br i1 %exitcond.not.i, label %panic.i, label %bb2.i

bb2.i:                                            ; preds = %start
  %exitcond12.not.i = icmp eq i64 %0, 0
  br i1 %exitcond12.not.i, label %panic1.i, label %bb4.i

panic.i:                                          ; preds = %bb4.1.i, %bb4.i, %start
  %iter.sroa.0.07.lcssa.i = phi i64 [ 0, %start ], [ 1, %bb4.i ], [ 2, %bb4.1.i ]
  tail call void @_ZN4core9panicking18panic_bounds_check17ha86acd575e3636dfE(i64 noundef %iter.sroa.0.07.lcssa.i, i64 noundef %n, ptr noalias noundef nonnull readonly align 8 dereferenceable(24) @alloc_2a37ce0e2c023066afa0a99a929b78c2) #5, !noalias !8
  unreachable

panic1.i:                                         ; preds = %bb2.2.i, %bb2.1.i, %bb2.i
  %_0.i.lcssa8.i = phi i64 [ 1, %bb2.i ], [ 2, %bb2.1.i ], [ 3, %bb2.2.i ]
  tail call void @_ZN4core9panicking18panic_bounds_check17ha86acd575e3636dfE(i64 noundef %_0.i.lcssa8.i, i64 noundef %n, ptr noalias noundef nonnull readonly align 8 dereferenceable(24) @alloc_42149aa92365a75504484d4126c6e6a1) #5, !noalias !8
  unreachable

bb4.i:                                            ; preds = %bb2.i
  %_7.i = load double, ptr %x, align 8, !noalias !9, !noundef !9
  %1 = getelementptr inbounds i8, ptr %x, i64 8
  %_10.i = load double, ptr %1, align 8, !alias.scope !3, !noalias !6, !noundef !9
  %_6.i = fadd double %_7.i, %_10.i
  %2 = fmul double %_6.i, 5.000000e-01
  store double %2, ptr %out, align 8, !alias.scope !6, !noalias !3
  %exitcond.1.not.i = icmp eq i64 %n, 1
  br i1 %exitcond.1.not.i, label %panic.i, label %bb2.1.i

bb2.1.i:                                          ; preds = %bb4.i
  %exitcond12.1.not.i = icmp eq i64 %0, 1
  br i1 %exitcond12.1.not.i, label %panic1.i, label %bb4.1.i

bb4.1.i:                                          ; preds = %bb2.1.i
  %3 = getelementptr inbounds i8, ptr %x, i64 16
  %_10.1.i = load double, ptr %3, align 8, !alias.scope !3, !noalias !6, !noundef !9
  %_6.1.i = fadd double %_10.i, %_10.1.i
  %4 = getelementptr inbounds i8, ptr %out, i64 8
  %5 = fmul double %_6.1.i, 5.000000e-01
  store double %5, ptr %4, align 8, !alias.scope !6, !noalias !3
  %exitcond.2.not.i = icmp eq i64 %n, 2
  br i1 %exitcond.2.not.i, label %panic.i, label %bb2.2.i

bb2.2.i:                                          ; preds = %bb4.1.i
  %exitcond12.2.not.i = icmp eq i64 %0, 2
  br i1 %exitcond12.2.not.i, label %panic1.i, label %_ZN11rust_slices6smooth17h2466e876e9bf18daE.exit

_ZN11rust_slices6smooth17h2466e876e9bf18daE.exit: ; preds = %bb2.2.i
  %6 = getelementptr inbounds i8, ptr %x, i64 24
  %_10.2.i = load double, ptr %6, align 8, !alias.scope !3, !noalias !6, !noundef !9
  %_6.2.i = fadd double %_10.1.i, %_10.2.i
  %7 = getelementptr inbounds i8, ptr %out, i64 16
  %8 = fmul double %_6.2.i, 5.000000e-01
  store double %8, ptr %7, align 8, !alias.scope !6, !noalias !3
  br label %"_ZN4core4iter8adapters3map8map_fold28_$u7b$$u7b$closure$u7d$$u7d$17h422623ecb228d9a6E.exit.i"

"_ZN4core4iter8adapters3map8map_fold28_$u7b$$u7b$closure$u7d$$u7d$17h422623ecb228d9a6E.exit.i": ; preds = %_ZN11rust_slices6smooth17h2466e876e9bf18daE.exit, %"_ZN4core4iter8adapters3map8map_fold28_$u7b$$u7b$closure$u7d$$u7d$17h422623ecb228d9a6E.exit.i"
  %_7.i.i.i = phi double [ %_7.i, %_ZN11rust_slices6smooth17h2466e876e9bf18daE.exit ], [ %_4.i.i.i, %"_ZN4core4iter8adapters3map8map_fold28_$u7b$$u7b$closure$u7d$$u7d$17h422623ecb228d9a6E.exit.i" ]
  %accum.sroa.0.09.i = phi double [ -0.000000e+00, %_ZN11rust_slices6smooth17h2466e876e9bf18daE.exit ], [ %_0.i.i.i, %"_ZN4core4iter8adapters3map8map_fold28_$u7b$$u7b$closure$u7d$$u7d$17h422623ecb228d9a6E.exit.i" ]
  %new_len.i.i48.i = phi i64 [ %n, %_ZN11rust_slices6smooth17h2466e876e9bf18daE.exit ], [ %new_len.i.i.i, %"_ZN4core4iter8adapters3map8map_fold28_$u7b$$u7b$closure$u7d$$u7d$17h422623ecb228d9a6E.exit.i" ]
  %_12.i.i57.i = phi ptr [ %x, %_ZN11rust_slices6smooth17h2466e876e9bf18daE.exit ], [ %_12.i.i.i, %"_ZN4core4iter8adapters3map8map_fold28_$u7b$$u7b$closure$u7d$$u7d$17h422623ecb228d9a6E.exit.i" ]
  %new_len.i.i.i = add i64 %new_len.i.i48.i, -1
  %_12.i.i.i = getelementptr inbounds i8, ptr %_12.i.i57.i, i64 8
  %_4.i.i.i = load double, ptr %_12.i.i.i, align 8, !alias.scope !10, !noalias !15, !noundef !9
  %_3.i.i.i = fsub double %_4.i.i.i, %_7.i.i.i
  %9 = fmul double %_3.i.i.i, %_3.i.i.i
  %_0.i.i.i = fadd double %accum.sroa.0.09.i, %9
  %_2.i.i = icmp ult i64 %new_len.i.i48.i, 3
  br i1 %_2.i.i, label %_ZN4core4iter6traits8iterator8Iterator4fold17hbf5fd8aa50de302cE.exit, label %"_ZN4core4iter8adapters3map8map_fold28_$u7b$$u7b$closure$u7d$$u7d$17h422623ecb228d9a6E.exit.i"

_ZN4core4iter6traits8iterator8Iterator4fold17hbf5fd8aa50de302cE.exit: ; preds = %"_ZN4core4iter8adapters3map8map_fold28_$u7b$$u7b$closure$u7d$$u7d$17h422623ecb228d9a6E.exit.i"
  %fst_len.i = and i64 %n, -2
  %10 = add i64 %n, -2
  %11 = lshr i64 %10, 1
  %12 = add nuw i64 %11, 1
  %xtraiter = and i64 %12, 3
  %lcmp.mod.not = icmp eq i64 %xtraiter, 0
  br i1 %lcmp.mod.not, label %"_ZN4core4iter8adapters3map8map_fold28_$u7b$$u7b$closure$u7d$$u7d$17he6d92886f48d37e3E.exit.i.prol.loopexit", label %"_ZN4core4iter8adapters3map8map_fold28_$u7b$$u7b$closure$u7d$$u7d$17he6d92886f48d37e3E.exit.i.prol"

"_ZN4core4iter8adapters3map8map_fold28_$u7b$$u7b$closure$u7d$$u7d$17he6d92886f48d37e3E.exit.i.prol": ; preds = %_ZN4core4iter6traits8iterator8Iterator4fold17hbf5fd8aa50de302cE.exit, %"_ZN4core4iter8adapters3map8map_fold28_$u7b$$u7b$closure$u7d$$u7d$17he6d92886f48d37e3E.exit.i.prol"
  %accum.sroa.0.05.i.prol = phi double [ %_0.i1.i.i.prol, %"_ZN4core4iter8adapters3map8map_fold28_$u7b$$u7b$closure$u7d$$u7d$17he6d92886f48d37e3E.exit.i.prol" ], [ 1.000000e+00, %_ZN4core4iter6traits8iterator8Iterator4fold17hbf5fd8aa50de302cE.exit ]
  %13 = phi i64 [ %16, %"_ZN4core4iter8adapters3map8map_fold28_$u7b$$u7b$closure$u7d$$u7d$17he6d92886f48d37e3E.exit.i.prol" ], [ %fst_len.i, %_ZN4core4iter6traits8iterator8Iterator4fold17hbf5fd8aa50de302cE.exit ]
  %14 = phi ptr [ %15, %"_ZN4core4iter8adapters3map8map_fold28_$u7b$$u7b$closure$u7d$$u7d$17he6d92886f48d37e3E.exit.i.prol" ], [ %x, %_ZN4core4iter6traits8iterator8Iterator4fold17hbf5fd8aa50de302cE.exit ]
  %prol.iter = phi i64 [ %prol.iter.next, %"_ZN4core4iter8adapters3map8map_fold28_$u7b$$u7b$closure$u7d$$u7d$17he6d92886f48d37e3E.exit.i.prol" ], [ 0, %_ZN4core4iter6traits8iterator8Iterator4fold17hbf5fd8aa50de302cE.exit ]
  %15 = getelementptr inbounds i8, ptr %14, i64 16
  %16 = add i64 %13, -2
  %_3.i.i.i6.prol = load double, ptr %14, align 8, !alias.scope !18, !noalias !23, !noundef !9
  %17 = getelementptr inbounds i8, ptr %14, i64 8
  %_6.i.i.i7.prol = load double, ptr %17, align 8, !alias.scope !18, !noalias !23, !noundef !9
  %_0.i.i.i8.prol = fmul double %_3.i.i.i6.prol, %_6.i.i.i7.prol
  %_4.i.i.i9.prol = fmul double %_0.i.i.i8.prol, %_0.i.i.i8.prol
  %_0.i1.i.i.prol = fadd double %accum.sroa.0.05.i.prol, %_4.i.i.i9.prol
  %prol.iter.next = add i64 %prol.iter, 1
  %prol.iter.cmp.not = icmp eq i64 %prol.iter.next, %xtraiter
  br i1 %prol.iter.cmp.not, label %"_ZN4core4iter8adapters3map8map_fold28_$u7b$$u7b$closure$u7d$$u7d$17he6d92886f48d37e3E.exit.i.prol.loopexit", label %"_ZN4core4iter8adapters3map8map_fold28_$u7b$$u7b$closure$u7d$$u7d$17he6d92886f48d37e3E.exit.i.prol", !llvm.loop !26

"_ZN4core4iter8adapters3map8map_fold28_$u7b$$u7b$closure$u7d$$u7d$17he6d92886f48d37e3E.exit.i.prol.loopexit": ; preds = %"_ZN4core4iter8adapters3map8map_fold28_$u7b$$u7b$closure$u7d$$u7d$17he6d92886f48d37e3E.exit.i.prol", %_ZN4core4iter6traits8iterator8Iterator4fold17hbf5fd8aa50de302cE.exit
  %_0.i1.i.i.lcssa.unr = phi double [ poison, %_ZN4core4iter6traits8iterator8Iterator4fold17hbf5fd8aa50de302cE.exit ], [ %_0.i1.i.i.prol, %"_ZN4core4iter8adapters3map8map_fold28_$u7b$$u7b$closure$u7d$$u7d$17he6d92886f48d37e3E.exit.i.prol" ]
  %accum.sroa.0.05.i.unr = phi double [ 1.000000e+00, %_ZN4core4iter6traits8iterator8Iterator4fold17hbf5fd8aa50de302cE.exit ], [ %_0.i1.i.i.prol, %"_ZN4core4iter8adapters3map8map_fold28_$u7b$$u7b$closure$u7d$$u7d$17he6d92886f48d37e3E.exit.i.prol" ]
  %.unr = phi i64 [ %fst_len.i, %_ZN4core4iter6traits8iterator8Iterator4fold17hbf5fd8aa50de302cE.exit ], [ %16, %"_ZN4core4iter8adapters3map8map_fold28_$u7b$$u7b$closure$u7d$$u7d$17he6d92886f48d37e3E.exit.i.prol" ]
  %.unr22 = phi ptr [ %x, %_ZN4core4iter6traits8iterator8Iterator4fold17hbf5fd8aa50de302cE.exit ], [ %15, %"_ZN4core4iter8adapters3map8map_fold28_$u7b$$u7b$closure$u7d$$u7d$17he6d92886f48d37e3E.exit.i.prol" ]
  %18 = icmp ult i64 %10, 6
  br i1 %18, label %_ZN4core4iter6traits8iterator8Iterator4fold17h515a4b1b6a5b507bE.exit, label %"_ZN4core4iter8adapters3map8map_fold28_$u7b$$u7b$closure$u7d$$u7d$17he6d92886f48d37e3E.exit.i"

"_ZN4core4iter8adapters3map8map_fold28_$u7b$$u7b$closure$u7d$$u7d$17he6d92886f48d37e3E.exit.i": ; preds = %"_ZN4core4iter8adapters3map8map_fold28_$u7b$$u7b$closure$u7d$$u7d$17he6d92886f48d37e3E.exit.i.prol.loopexit", %"_ZN4core4iter8adapters3map8map_fold28_$u7b$$u7b$closure$u7d$$u7d$17he6d92886f48d37e3E.exit.i"
  %accum.sroa.0.05.i = phi double [ %_0.i1.i.i.3, %"_ZN4core4iter8adapters3map8map_fold28_$u7b$$u7b$closure$u7d$$u7d$17he6d92886f48d37e3E.exit.i" ], [ %accum.sroa.0.05.i.unr, %"_ZN4core4iter8adapters3map8map_fold28_$u7b$$u7b$closure$u7d$$u7d$17he6d92886f48d37e3E.exit.i.prol.loopexit" ]
  %19 = phi i64 [ %28, %"_ZN4core4iter8adapters3map8map_fold28_$u7b$$u7b$closure$u7d$$u7d$17he6d92886f48d37e3E.exit.i" ], [ %.unr, %"_ZN4core4iter8adapters3map8map_fold28_$u7b$$u7b$closure$u7d$$u7d$17he6d92886f48d37e3E.exit.i.prol.loopexit" ]
  %20 = phi ptr [ %27, %"_ZN4core4iter8adapters3map8map_fold28_$u7b$$u7b$closure$u7d$$u7d$17he6d92886f48d37e3E.exit.i" ], [ %.unr22, %"_ZN4core4iter8adapters3map8map_fold28_$u7b$$u7b$closure$u7d$$u7d$17he6d92886f48d37e3E.exit.i.prol.loopexit" ]
  %21 = getelementptr inbounds i8, ptr %20, i64 16
  %_3.i.i.i6 = load double, ptr %20, align 8, !alias.scope !18, !noalias !23, !noundef !9
  %22 = getelementptr inbounds i8, ptr %20, i64 8
  %_6.i.i.i7 = load double, ptr %22, align 8, !alias.scope !18, !noalias !23, !noundef !9
  %_0.i.i.i8 = fmul double %_3.i.i.i6, %_6.i.i.i7
  %_4.i.i.i9 = fmul double %_0.i.i.i8, %_0.i.i.i8
  %_0.i1.i.i = fadd double %accum.sroa.0.05.i, %_4.i.i.i9
  %23 = getelementptr inbounds i8, ptr %20, i64 32
  %_3.i.i.i6.1 = load double, ptr %21, align 8, !alias.scope !18, !noalias !23, !noundef !9
  %24 = getelementptr inbounds i8, ptr %20, i64 24
  %_6.i.i.i7.1 = load double, ptr %24, align 8, !alias.scope !18, !noalias !23, !noundef !9
  %_0.i.i.i8.1 = fmul double %_3.i.i.i6.1, %_6.i.i.i7.1
  %_4.i.i.i9.1 = fmul double %_0.i.i.i8.1, %_0.i.i.i8.1
  %_0.i1.i.i.1 = fadd double %_0.i1.i.i, %_4.i.i.i9.1
  %25 = getelementptr inbounds i8, ptr %20, i64 48
  %_3.i.i.i6.2 = load double, ptr %23, align 8, !alias.scope !18, !noalias !23, !noundef !9
  %26 = getelementptr inbounds i8, ptr %20, i64 40
  %_6.i.i.i7.2 = load double, ptr %26, align 8, !alias.scope !18, !noalias !23, !noundef !9
  %_0.i.i.i8.2 = fmul double %_3.i.i.i6.2, %_6.i.i.i7.2
  %_4.i.i.i9.2 = fmul double %_0.i.i.i8.2, %_0.i.i.i8.2
  %_0.i1.i.i.2 = fadd double %_0.i1.i.i.1, %_4.i.i.i9.2
  %27 = getelementptr inbounds i8, ptr %20, i64 64
  %28 = add i64 %19, -8
  %_3.i.i.i6.3 = load double, ptr %25, align 8, !alias.scope !18, !noalias !23, !noundef !9
  %29 = getelementptr inbounds i8, ptr %20, i64 56
  %_6.i.i.i7.3 = load double, ptr %29, align 8, !alias.scope !18, !noalias !23, !noundef !9
  %_0.i.i.i8.3 = fmul double %_3.i.i.i6.3, %_6.i.i.i7.3
  %_4.i.i.i9.3 = fmul double %_0.i.i.i8.3, %_0.i.i.i8.3
  %_0.i1.i.i.3 = fadd double %_0.i1.i.i.2, %_4.i.i.i9.3
  %_2.i.i10.3 = icmp eq i64 %28, 0
  br i1 %_2.i.i10.3, label %_ZN4core4iter6traits8iterator8Iterator4fold17h515a4b1b6a5b507bE.exit, label %"_ZN4core4iter8adapters3map8map_fold28_$u7b$$u7b$closure$u7d$$u7d$17he6d92886f48d37e3E.exit.i"

_ZN4core4iter6traits8iterator8Iterator4fold17h515a4b1b6a5b507bE.exit: ; preds = %"_ZN4core4iter8adapters3map8map_fold28_$u7b$$u7b$closure$u7d$$u7d$17he6d92886f48d37e3E.exit.i", %"_ZN4core4iter8adapters3map8map_fold28_$u7b$$u7b$closure$u7d$$u7d$17he6d92886f48d37e3E.exit.i.prol.loopexit"
  %_0.i1.i.i.lcssa = phi double [ %_0.i1.i.i.lcssa.unr, %"_ZN4core4iter8adapters3map8map_fold28_$u7b$$u7b$closure$u7d$$u7d$17he6d92886f48d37e3E.exit.i.prol.loopexit" ], [ %_0.i1.i.i.3, %"_ZN4core4iter8adapters3map8map_fold28_$u7b$$u7b$closure$u7d$$u7d$17he6d92886f48d37e3E.exit.i" ]
  %_81 = lshr i64 %n, 1
  %_0.sroa.0.0.sroa.speculated.i.i.i = tail call noundef i64 @llvm.umin.i64(i64 %_81, i64 3)
  %30 = add nsw i64 %_0.sroa.0.0.sroa.speculated.i.i.i, -1
  %31 = icmp ult i64 %30, 3
  br i1 %31, label %bb14.i.epil.preheader, label %bb14.i

bb14.i:                                           ; preds = %_ZN4core4iter6traits8iterator8Iterator4fold17h515a4b1b6a5b507bE.exit, %bb14.i
  %accum.sroa.0.06.i = phi double [ %_0.i1.i.i18.3, %bb14.i ], [ -0.000000e+00, %_ZN4core4iter6traits8iterator8Iterator4fold17h515a4b1b6a5b507bE.exit ]
  %iter.sroa.0.05.i = phi i64 [ %_0.i.i.3, %bb14.i ], [ 0, %_ZN4core4iter6traits8iterator8Iterator4fold17h515a4b1b6a5b507bE.exit ]
  %niter = phi i64 [ %niter.next.3, %bb14.i ], [ 0, %_ZN4core4iter6traits8iterator8Iterator4fold17h515a4b1b6a5b507bE.exit ]
  %_0.i.i = or disjoint i64 %iter.sroa.0.05.i, 1
  %_3.i.i.i15 = getelementptr inbounds double, ptr %out, i64 %iter.sroa.0.05.i
  %_3.i3.i.i = getelementptr inbounds double, ptr %x, i64 %iter.sroa.0.05.i
  tail call void @llvm.experimental.noalias.scope.decl(metadata !28)
  tail call void @llvm.experimental.noalias.scope.decl(metadata !31)
  tail call void @llvm.experimental.noalias.scope.decl(metadata !33)
  tail call void @llvm.experimental.noalias.scope.decl(metadata !36)
  %_5.i.i3.i = load double, ptr %_3.i.i.i15, align 8, !alias.scope !38, !noalias !39, !noundef !9
  %_6.i.i.i16 = load double, ptr %_3.i3.i.i, align 8, !alias.scope !42, !noalias !43, !noundef !9
  %_0.i.i.i17 = fmul double %_5.i.i3.i, %_6.i.i.i16
  %_0.i1.i.i18 = fadd double %accum.sroa.0.06.i, %_0.i.i.i17
  %_0.i.i.1 = or disjoint i64 %iter.sroa.0.05.i, 2
  %_3.i.i.i15.1 = getelementptr inbounds double, ptr %out, i64 %_0.i.i
  %_3.i3.i.i.1 = getelementptr inbounds double, ptr %x, i64 %_0.i.i
  tail call void @llvm.experimental.noalias.scope.decl(metadata !44)
  tail call void @llvm.experimental.noalias.scope.decl(metadata !46)
  tail call void @llvm.experimental.noalias.scope.decl(metadata !48)
  tail call void @llvm.experimental.noalias.scope.decl(metadata !50)
  %_5.i.i3.i.1 = load double, ptr %_3.i.i.i15.1, align 8, !alias.scope !52, !noalias !53, !noundef !9
  %_6.i.i.i16.1 = load double, ptr %_3.i3.i.i.1, align 8, !alias.scope !54, !noalias !55, !noundef !9
  %_0.i.i.i17.1 = fmul double %_5.i.i3.i.1, %_6.i.i.i16.1
  %_0.i1.i.i18.1 = fadd double %_0.i1.i.i18, %_0.i.i.i17.1
  %_0.i.i.2 = or disjoint i64 %iter.sroa.0.05.i, 3
  %_3.i.i.i15.2 = getelementptr inbounds double, ptr %out, i64 %_0.i.i.1
  %_3.i3.i.i.2 = getelementptr inbounds double, ptr %x, i64 %_0.i.i.1
  tail call void @llvm.experimental.noalias.scope.decl(metadata !56)
  tail call void @llvm.experimental.noalias.scope.decl(metadata !58)
  tail call void @llvm.experimental.noalias.scope.decl(metadata !60)
  tail call void @llvm.experimental.noalias.scope.decl(metadata !62)
  %_5.i.i3.i.2 = load double, ptr %_3.i.i.i15.2, align 8, !alias.scope !64, !noalias !65, !noundef !9
  %_6.i.i.i16.2 = load double, ptr %_3.i3.i.i.2, align 8, !alias.scope !66, !noalias !67, !noundef !9
  %_0.i.i.i17.2 = fmul double %_5.i.i3.i.2, %_6.i.i.i16.2
  %_0.i1.i.i18.2 = fadd double %_0.i1.i.i18.1, %_0.i.i.i17.2
  %_0.i.i.3 = add nuw i64 %iter.sroa.0.05.i, 4
  %_3.i.i.i15.3 = getelementptr inbounds double, ptr %out, i64 %_0.i.i.2
  %_3.i3.i.i.3 = getelementptr inbounds double, ptr %x, i64 %_0.i.i.2
  tail call void @llvm.experimental.noalias.scope.decl(metadata !68)
  tail call void @llvm.experimental.noalias.scope.decl(metadata !70)
  tail call void @llvm.experimental.noalias.scope.decl(metadata !72)
  tail call void @llvm.experimental.noalias.scope.decl(metadata !74)
  %_5.i.i3.i.3 = load double, ptr %_3.i.i.i15.3, align 8, !alias.scope !76, !noalias !77, !noundef !9
  %_6.i.i.i16.3 = load double, ptr %_3.i3.i.i.3, align 8, !alias.scope !78, !noalias !79, !noundef !9
  %_0.i.i.i17.3 = fmul double %_5.i.i3.i.3, %_6.i.i.i16.3
  %_0.i1.i.i18.3 = fadd double %_0.i1.i.i18.2, %_0.i.i.i17.3
  %niter.next.3 = add i64 %niter, 4
  %niter.ncmp.3 = icmp eq i64 %niter.next.3, 0
  br i1 %niter.ncmp.3, label %bb14.i.epil.preheader, label %bb14.i

bb14.i.epil.preheader:                            ; preds = %_ZN4core4iter6traits8iterator8Iterator4fold17h515a4b1b6a5b507bE.exit, %bb14.i
  %accum.sroa.0.06.i.unr = phi double [ -0.000000e+00, %_ZN4core4iter6traits8iterator8Iterator4fold17h515a4b1b6a5b507bE.exit ], [ %_0.i1.i.i18.3, %bb14.i ]
  %iter.sroa.0.05.i.unr = phi i64 [ 0, %_ZN4core4iter6traits8iterator8Iterator4fold17h515a4b1b6a5b507bE.exit ], [ %_0.i.i.3, %bb14.i ]
  br label %bb14.i.epil

bb14.i.epil:                                      ; preds = %bb14.i.epil, %bb14.i.epil.preheader
  %accum.sroa.0.06.i.epil = phi double [ %_0.i1.i.i18.epil, %bb14.i.epil ], [ %accum.sroa.0.06.i.unr, %bb14.i.epil.preheader ]
  %iter.sroa.0.05.i.epil = phi i64 [ %_0.i.i.epil, %bb14.i.epil ], [ %iter.sroa.0.05.i.unr, %bb14.i.epil.preheader ]
  %epil.iter = phi i64 [ %epil.iter.next, %bb14.i.epil ], [ 0, %bb14.i.epil.preheader ]
  %_0.i.i.epil = add nuw i64 %iter.sroa.0.05.i.epil, 1
  %_3.i.i.i15.epil = getelementptr inbounds double, ptr %out, i64 %iter.sroa.0.05.i.epil
  %_3.i3.i.i.epil = getelementptr inbounds double, ptr %x, i64 %iter.sroa.0.05.i.epil
  tail call void @llvm.experimental.noalias.scope.decl(metadata !28)
  tail call void @llvm.experimental.noalias.scope.decl(metadata !31)
  tail call void @llvm.experimental.noalias.scope.decl(metadata !33)
  tail call void @llvm.experimental.noalias.scope.decl(metadata !36)
  %_5.i.i3.i.epil = load double, ptr %_3.i.i.i15.epil, align 8, !alias.scope !38, !noalias !39, !noundef !9
  %_6.i.i.i16.epil = load double, ptr %_3.i3.i.i.epil, align 8, !alias.scope !42, !noalias !43, !noundef !9
  %_0.i.i.i17.epil = fmul double %_5.i.i3.i.epil, %_6.i.i.i16.epil
  %_0.i1.i.i18.epil = fadd double %accum.sroa.0.06.i.epil, %_0.i.i.i17.epil
  %epil.iter.next = add i64 %epil.iter, 1
  %epil.iter.cmp.not = icmp eq i64 %epil.iter.next, %_0.sroa.0.0.sroa.speculated.i.i.i
  br i1 %epil.iter.cmp.not, label %bb4, label %bb14.i.epil, !llvm.loop !80

bb4:                                              ; preds = %bb14.i.epil
  %32 = getelementptr inbounds double, ptr %x, i64 %_81
  %_19 = load double, ptr %32, align 8, !noundef !9
  %_13 = fmul double %_0.i1.i.i18.epil, %_19
  %_22 = fmul double %_0.i.i.i, %_0.i1.i.i.lcssa
  %_0 = fadd double %_22, %_13
  call void @llvm.lifetime.end.p0(i64 24, ptr nonnull %out)
  ret double %_0
}

declare noundef range(i32 0, 10) i32 @rust_eh_personality(i32 noundef, i32 noundef range(i32 1, 17), i64 noundef, ptr noundef, ptr noundef) unnamed_addr #0

declare void @_ZN4core9panicking18panic_bounds_check17ha86acd575e3636dfE(i64 noundef, i64 noundef, ptr noalias noundef readonly align 8 dereferenceable(24)) unnamed_addr #1

declare void @llvm.lifetime.start.p0(i64 immarg, ptr nocapture) #2

declare void @llvm.lifetime.end.p0(i64 immarg, ptr nocapture) #2

declare void @llvm.experimental.noalias.scope.decl(metadata) #3

declare i64 @llvm.umax.i64(i64, i64) #4

declare i64 @llvm.umin.i64(i64, i64) #4

attributes #0 = { nounwind nonlazybind "probe-stack"="inline-asm" "target-cpu"="x86-64" }
attributes #1 = { cold minsize noinline noreturn nounwind nonlazybind optsize "probe-stack"="inline-asm" "target-cpu"="x86-64" }
attributes #2 = { mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #3 = { nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: readwrite) }
attributes #4 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #5 = { noreturn nounwind }

!llvm.module.flags = !{!0, !1}

!0 = !{i32 8, !"PIC Level", i32 2}
!1 = !{i32 2, !"RtLibUseGOT", i32 1}
!2 = !{!"rustc version 1.85.0 (4d91de4e4 2025-02-17) (built from a source tarball)"}
!3 = !{!4}
!4 = distinct !{!4, !5, !"_ZN11rust_slices6smooth17h2466e876e9bf18daE: %x.0"}
!5 = distinct !{!5, !"_ZN11rust_slices6smooth17h2466e876e9bf18daE"}
!6 = !{!7}
!7 = distinct !{!7, !5, !"_ZN11rust_slices6smooth17h2466e876e9bf18daE: %out.0"}
!8 = !{!4, !7}
!9 = !{}
!10 = !{!11, !13}
!11 = distinct !{!11, !12, !"_ZN11rust_slices1f28_$u7b$$u7b$closure$u7d$$u7d$17h477ece790b17ba6bE: %p.0"}
!12 = distinct !{!12, !"_ZN11rust_slices1f28_$u7b$$u7b$closure$u7d$$u7d$17h477ece790b17ba6bE"}
!13 = distinct !{!13, !14, !"_ZN4core4iter8adapters3map8map_fold28_$u7b$$u7b$closure$u7d$$u7d$17h422623ecb228d9a6E: %elt.0"}
!14 = distinct !{!14, !"_ZN4core4iter8adapters3map8map_fold28_$u7b$$u7b$closure$u7d$$u7d$17h422623ecb228d9a6E"}
!15 = !{!16}
!16 = distinct !{!16, !17, !"_ZN4core4iter6traits8iterator8Iterator4fold17hbf5fd8aa50de302cE: %self"}
!17 = distinct !{!17, !"_ZN4core4iter6traits8iterator8Iterator4fold17hbf5fd8aa50de302cE"}
!18 = !{!19, !21}
!19 = distinct !{!19, !20, !"_ZN11rust_slices1f28_$u7b$$u7b$closure$u7d$$u7d$17h28ebfd6b3e8dd21eE: %p.0"}
!20 = distinct !{!20, !"_ZN11rust_slices1f28_$u7b$$u7b$closure$u7d$$u7d$17h28ebfd6b3e8dd21eE"}
!21 = distinct !{!21, !22, !"_ZN4core4iter8adapters3map8map_fold28_$u7b$$u7b$closure$u7d$$u7d$17he6d92886f48d37e3E: %elt.0"}
!22 = distinct !{!22, !"_ZN4core4iter8adapters3map8map_fold28_$u7b$$u7b$closure$u7d$$u7d$17he6d92886f48d37e3E"}
!23 = !{!24}
!24 = distinct !{!24, !25, !"_ZN4core4iter6traits8iterator8Iterator4fold17h515a4b1b6a5b507bE: %self"}
!25 = distinct !{!25, !"_ZN4core4iter6traits8iterator8Iterator4fold17h515a4b1b6a5b507bE"}
!26 = distinct !{!26, !27}
!27 = !{!"llvm.loop.unroll.disable"}
!28 = !{!29}
!29 = distinct !{!29, !30, !"_ZN4core4iter8adapters3map8map_fold28_$u7b$$u7b$closure$u7d$$u7d$17hf52111fa6350e911E: %elt.0"}
!30 = distinct !{!30, !"_ZN4core4iter8adapters3map8map_fold28_$u7b$$u7b$closure$u7d$$u7d$17hf52111fa6350e911E"}
!31 = !{!32}
!32 = distinct !{!32, !30, !"_ZN4core4iter8adapters3map8map_fold28_$u7b$$u7b$closure$u7d$$u7d$17hf52111fa6350e911E: %elt.1"}
!33 = !{!34}
!34 = distinct !{!34, !35, !"_ZN11rust_slices1f28_$u7b$$u7b$closure$u7d$$u7d$17h7bbfbbd0781cfc03E: %_2.0"}
!35 = distinct !{!35, !"_ZN11rust_slices1f28_$u7b$$u7b$closure$u7d$$u7d$17h7bbfbbd0781cfc03E"}
!36 = !{!37}
!37 = distinct !{!37, !35, !"_ZN11rust_slices1f28_$u7b$$u7b$closure$u7d$$u7d$17h7bbfbbd0781cfc03E: %_2.1"}
!38 = !{!34, !29}
!39 = !{!37, !32, !40}
!40 = distinct !{!40, !41, !"_ZN111_$LT$core..iter..adapters..zip..Zip$LT$A$C$B$GT$$u20$as$u20$core..iter..adapters..zip..ZipImpl$LT$A$C$B$GT$$GT$4fold17h171d075220cd21c5E: %self"}
!41 = distinct !{!41, !"_ZN111_$LT$core..iter..adapters..zip..Zip$LT$A$C$B$GT$$u20$as$u20$core..iter..adapters..zip..ZipImpl$LT$A$C$B$GT$$GT$4fold17h171d075220cd21c5E"}
!42 = !{!37, !32}
!43 = !{!34, !29, !40}
!44 = !{!45}
!45 = distinct !{!45, !30, !"_ZN4core4iter8adapters3map8map_fold28_$u7b$$u7b$closure$u7d$$u7d$17hf52111fa6350e911E: %elt.0:It1"}
!46 = !{!47}
!47 = distinct !{!47, !30, !"_ZN4core4iter8adapters3map8map_fold28_$u7b$$u7b$closure$u7d$$u7d$17hf52111fa6350e911E: %elt.1:It1"}
!48 = !{!49}
!49 = distinct !{!49, !35, !"_ZN11rust_slices1f28_$u7b$$u7b$closure$u7d$$u7d$17h7bbfbbd0781cfc03E: %_2.0:It1"}
!50 = !{!51}
!51 = distinct !{!51, !35, !"_ZN11rust_slices1f28_$u7b$$u7b$closure$u7d$$u7d$17h7bbfbbd0781cfc03E: %_2.1:It1"}
!52 = !{!49, !45}
!53 = !{!51, !47, !40}
!54 = !{!51, !47}
!55 = !{!49, !45, !40}
!56 = !{!57}
!57 = distinct !{!57, !30, !"_ZN4core4iter8adapters3map8map_fold28_$u7b$$u7b$closure$u7d$$u7d$17hf52111fa6350e911E: %elt.0:It2"}
!58 = !{!59}
!59 = distinct !{!59, !30, !"_ZN4core4iter8adapters3map8map_fold28_$u7b$$u7b$closure$u7d$$u7d$17hf52111fa6350e911E: %elt.1:It2"}
!60 = !{!61}
!61 = distinct !{!61, !35, !"_ZN11rust_slices1f28_$u7b$$u7b$closure$u7d$$u7d$17h7bbfbbd0781cfc03E: %_2.0:It2"}
!62 = !{!63}
!63 = distinct !{!63, !35, !"_ZN11rust_slices1f28_$u7b$$u7b$closure$u7d$$u7d$17h7bbfbbd0781cfc03E: %_2.1:It2"}
!64 = !{!61, !57}
!65 = !{!63, !59, !40}
!66 = !{!63, !59}
!67 = !{!61, !57, !40}
!68 = !{!69}
!69 = distinct !{!69, !30, !"_ZN4core4iter8adapters3map8map_fold28_$u7b$$u7b$closure$u7d$$u7d$17hf52111fa6350e911E: %elt.0:It3"}
!70 = !{!71}
!71 = distinct !{!71, !30, !"_ZN4core4iter8adapters3map8map_fold28_$u7b$$u7b$closure$u7d$$u7d$17hf52111fa6350e911E: %elt.1:It3"}
!72 = !{!73}
!73 = distinct !{!73, !35, !"_ZN11rust_slices1f28_$u7b$$u7b$closure$u7d$$u7d$17h7bbfbbd0781cfc03E: %_2.0:It3"}
!74 = !{!75}
!75 = distinct !{!75, !35, !"_ZN11rust_slices1f28_$u7b$$u7b$closure$u7d$$u7d$17h7bbfbbd0781cfc03E: %_2.1:It3"}
!76 = !{!73, !69}
!77 = !{!75, !71, !40}
!78 = !{!75, !71}
!79 = !{!73, !69, !40}
!80 = distinct !{!80, !27}

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
