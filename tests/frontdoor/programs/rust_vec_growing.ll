; arguments: [0.5 -1 2 0.7 1.2] i64:5
; returns: double
; The compiler of Rust 1.85 (LLVM 19) printed this of the source that is here as a comment.
; // A vector that grows, then iterators over it.
; fn grown(x: &[f64]) -> Vec<f64> {
;     let mut v = Vec::new();
;     for (i, a) in x.iter().enumerate() {
;         v.push(a * a * (i as f64 + 1.0));
;         if i % 2 == 1 { v.push(a.sin()); }
;     }
;     v
; }
; #[no_mangle]
; pub extern "C" fn f(x: *const f64, n: usize) -> f64 {
;     let x = unsafe { std::slice::from_raw_parts(x, n) };
;     let v = grown(x);
;     let mut s = 0.0;
;     for i in 0..v.len() { s += v[i] * x[i % n]; }
;     s + v.iter().zip(x).map(|(a, b)| a * b).sum::<f64>()
; }
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@__rust_no_alloc_shim_is_unstable = external global i8
@alloc_fcf8cc1b27bc505965d56e21b9162886 = private unnamed_addr constant <{ [19 x i8] }> <{ [19 x i8] c"rust_vec_growing.rs" }>, align 1
@alloc_ee7f62d9ae9d3d09e1b3ede70b4f18ef = private unnamed_addr constant <{ ptr, [16 x i8] }> <{ ptr @alloc_fcf8cc1b27bc505965d56e21b9162886, [16 x i8] c"\13\00\00\00\00\00\00\00\05\00\00\00\0B\00\00\00" }>, align 8
@alloc_c9cb1f7d4caa627d6e19defb47fbf413 = private unnamed_addr constant <{ ptr, [16 x i8] }> <{ ptr @alloc_fcf8cc1b27bc505965d56e21b9162886, [16 x i8] c"\13\00\00\00\00\00\00\00\06\00\00\00\1B\00\00\00" }>, align 8
@alloc_c15b7572a8d66f8e649c72ebf5c5ea1b = private unnamed_addr constant <{ ptr, [16 x i8] }> <{ ptr @alloc_fcf8cc1b27bc505965d56e21b9162886, [16 x i8] c"\13\00\00\00\00\00\00\00\0F\00\00\00)\00\00\00" }>, align 8

define internal fastcc void @_ZN5alloc7raw_vec11finish_grow17h124151aae08ff4c5E(ptr dead_on_unwind noalias nocapture noundef writable writeonly sret([24 x i8]) align 8 dereferenceable(24) %_0, i64 noundef range(i64 1, -9223372036854775807) %0, i64 noundef %1, ptr noalias nocapture noundef readonly align 8 dereferenceable(24) %current_memory) unnamed_addr #0 {
start:
  %2 = getelementptr inbounds i8, ptr %current_memory, i64 8
  %3 = load i64, ptr %2, align 8, !range !3, !noundef !4
  %4 = icmp eq i64 %3, 0
  br i1 %4, label %bb2, label %bb3

bb3:                                              ; preds = %start
  %ptr = load ptr, ptr %current_memory, align 8, !nonnull !4, !noundef !4
  %5 = getelementptr inbounds i8, ptr %current_memory, i64 16
  %6 = load i64, ptr %5, align 8, !noundef !4
  %cond = icmp eq i64 %3, %0
  tail call void @llvm.assume(i1 %cond)
  %7 = icmp eq i64 %6, 0
  br i1 %7, label %bb2.i.i, label %bb3.i.i

bb2.i.i:                                          ; preds = %bb3
  %8 = icmp eq i64 %1, 0
  br i1 %8, label %bb2.i.i.i, label %bb4.i.i.i

bb2.i.i.i:                                        ; preds = %bb2.i.i
  %ptr3.i.i.i = getelementptr i8, ptr null, i64 %0
  br label %bb6

bb4.i.i.i:                                        ; preds = %bb2.i.i
  %9 = load volatile i8, ptr @__rust_no_alloc_shim_is_unstable, align 1
  %_0.i.i.i.i = tail call noalias noundef ptr @__rust_alloc(i64 noundef %1, i64 noundef %0) #13
  br label %bb6

bb3.i.i:                                          ; preds = %bb3
  %cond.i.i = icmp ule i64 %6, %1
  tail call void @llvm.assume(i1 %cond.i.i)
  %10 = tail call noundef ptr @__rust_realloc(ptr noundef nonnull %ptr, i64 noundef %6, i64 noundef %0, i64 noundef %1) #13
  br label %bb6

bb2:                                              ; preds = %start
  %11 = icmp eq i64 %1, 0
  br i1 %11, label %bb2.i.i11, label %bb4.i.i9

bb2.i.i11:                                        ; preds = %bb2
  %ptr3.i.i = getelementptr i8, ptr null, i64 %0
  br label %bb6

bb4.i.i9:                                         ; preds = %bb2
  %12 = load volatile i8, ptr @__rust_no_alloc_shim_is_unstable, align 1
  %_0.i.i.i = tail call noalias noundef ptr @__rust_alloc(i64 noundef %1, i64 noundef %0) #13
  br label %bb6

bb6:                                              ; preds = %bb4.i.i9, %bb2.i.i11, %bb3.i.i, %bb4.i.i.i, %bb2.i.i.i
  %_0.sroa.0.0.i.i10.pn = phi ptr [ %10, %bb3.i.i ], [ %ptr3.i.i.i, %bb2.i.i.i ], [ %_0.i.i.i.i, %bb4.i.i.i ], [ %ptr3.i.i, %bb2.i.i11 ], [ %_0.i.i.i, %bb4.i.i9 ]
  %13 = icmp eq ptr %_0.sroa.0.0.i.i10.pn, null
  %14 = inttoptr i64 %0 to ptr
  %spec.select = select i1 %13, ptr %14, ptr %_0.sroa.0.0.i.i10.pn
  %spec.select15 = zext i1 %13 to i64
  %15 = getelementptr inbounds i8, ptr %_0, i64 8
  store ptr %spec.select, ptr %15, align 8
  %16 = getelementptr inbounds i8, ptr %_0, i64 16
  store i64 %1, ptr %16, align 8
  store i64 %spec.select15, ptr %_0, align 8
  ret void
}

define void @"_ZN5alloc7raw_vec19RawVec$LT$T$C$A$GT$8grow_one17hf73058f546e5f160E"(ptr noalias nocapture noundef align 8 dereferenceable(16) %self, ptr noalias noundef readonly align 8 dereferenceable(24) %0) unnamed_addr #1 personality ptr @rust_eh_personality {
start:
  %_25.i = alloca [24 x i8], align 8
  %self6.i = alloca [24 x i8], align 8
  %_4 = load i64, ptr %self, align 8, !noundef !4
  tail call void @llvm.experimental.noalias.scope.decl(metadata !5)
  %_31.1.i = icmp eq i64 %_4, -1
  br i1 %_31.1.i, label %bb2, label %bb11.i, !prof !8

bb11.i:                                           ; preds = %start
  %_32.i = add nuw i64 %_4, 1
  %v111.i = shl i64 %_4, 1
  %_0.sroa.0.0.sroa.speculated.i.i = tail call noundef i64 @llvm.umax.i64(i64 %v111.i, i64 %_32.i)
  %_0.sroa.0.0.sroa.speculated.i38.i = tail call noundef i64 @llvm.umax.i64(i64 %_0.sroa.0.0.sroa.speculated.i.i, i64 4)
  %_9.0.i.i.i = shl i64 %_0.sroa.0.0.sroa.speculated.i38.i, 3
  %_9.1.i.i.i = icmp ugt i64 %_0.sroa.0.0.sroa.speculated.i.i, 2305843009213693951
  %_14.i.i.i = icmp ugt i64 %_9.0.i.i.i, 9223372036854775800
  %1 = or i1 %_9.1.i.i.i, %_14.i.i.i
  br i1 %1, label %bb2, label %bb22.i

bb22.i:                                           ; preds = %bb11.i
  call void @llvm.lifetime.start.p0(i64 24, ptr nonnull %self6.i), !noalias !5
  call void @llvm.lifetime.start.p0(i64 24, ptr nonnull %_25.i), !noalias !5
  tail call void @llvm.experimental.noalias.scope.decl(metadata !9)
  tail call void @llvm.experimental.noalias.scope.decl(metadata !12)
  %2 = icmp eq i64 %_4, 0
  br i1 %2, label %"_ZN5alloc7raw_vec20RawVecInner$LT$A$GT$14current_memory17hb3c2f46d8a904ee7E.exit.i", label %bb4.i.i

bb4.i.i:                                          ; preds = %bb22.i
  %3 = shl nuw i64 %_4, 3
  %4 = getelementptr inbounds i8, ptr %self, i64 8
  %self2.i.i = load ptr, ptr %4, align 8, !alias.scope !14, !noalias !9, !nonnull !4, !noundef !4
  store ptr %self2.i.i, ptr %_25.i, align 8, !alias.scope !9, !noalias !14
  %_13.sroa.5.0._0.sroa_idx.i.i = getelementptr inbounds i8, ptr %_25.i, i64 16
  store i64 %3, ptr %_13.sroa.5.0._0.sroa_idx.i.i, align 8, !alias.scope !9, !noalias !14
  br label %"_ZN5alloc7raw_vec20RawVecInner$LT$A$GT$14current_memory17hb3c2f46d8a904ee7E.exit.i"

"_ZN5alloc7raw_vec20RawVecInner$LT$A$GT$14current_memory17hb3c2f46d8a904ee7E.exit.i": ; preds = %bb4.i.i, %bb22.i
  %.sink.i.i = phi i64 [ 8, %bb4.i.i ], [ 0, %bb22.i ]
  %5 = getelementptr inbounds i8, ptr %_25.i, i64 8
  store i64 %.sink.i.i, ptr %5, align 8, !alias.scope !9, !noalias !14
  call fastcc void @_ZN5alloc7raw_vec11finish_grow17h124151aae08ff4c5E(ptr noalias nocapture noundef nonnull sret([24 x i8]) align 8 dereferenceable(24) %self6.i, i64 noundef 8, i64 noundef %_9.0.i.i.i, ptr noalias nocapture noundef nonnull readonly align 8 dereferenceable(24) %_25.i) #13
  call void @llvm.lifetime.end.p0(i64 24, ptr nonnull %_25.i), !noalias !5
  %_52.i = load i64, ptr %self6.i, align 8, !range !15, !noalias !5, !noundef !4
  %trunc.i = trunc nuw i64 %_52.i to i1
  %6 = getelementptr inbounds i8, ptr %self6.i, i64 8
  br i1 %trunc.i, label %bb23.i, label %bb3

bb23.i:                                           ; preds = %"_ZN5alloc7raw_vec20RawVecInner$LT$A$GT$14current_memory17hb3c2f46d8a904ee7E.exit.i"
  %e.0.i = load i64, ptr %6, align 8, !range !3, !noalias !5, !noundef !4
  %7 = getelementptr inbounds i8, ptr %self6.i, i64 16
  %e.1.i = load i64, ptr %7, align 8, !noalias !5
  call void @llvm.lifetime.end.p0(i64 24, ptr nonnull %self6.i), !noalias !5
  br label %bb2

bb2:                                              ; preds = %bb23.i, %start, %bb11.i
  %_0.sroa.6.0.i.ph = phi i64 [ undef, %bb11.i ], [ undef, %start ], [ %e.1.i, %bb23.i ]
  %_0.sroa.0.0.i.ph = phi i64 [ 0, %bb11.i ], [ 0, %start ], [ %e.0.i, %bb23.i ]
  tail call void @_ZN5alloc7raw_vec12handle_error17ha614eb2cb128a857E(i64 noundef %_0.sroa.0.0.i.ph, i64 %_0.sroa.6.0.i.ph, ptr noalias noundef nonnull readonly align 8 dereferenceable(24) %0) #14
  unreachable

bb3:                                              ; preds = %"_ZN5alloc7raw_vec20RawVecInner$LT$A$GT$14current_memory17hb3c2f46d8a904ee7E.exit.i"
  %v.015.i = load ptr, ptr %6, align 8, !noalias !5, !nonnull !4, !noundef !4
  call void @llvm.lifetime.end.p0(i64 24, ptr nonnull %self6.i), !noalias !5
  %8 = getelementptr inbounds i8, ptr %self, i64 8
  store ptr %v.015.i, ptr %8, align 8, !alias.scope !5
  store i64 %_0.sroa.0.0.sroa.speculated.i38.i, ptr %self, align 8, !alias.scope !5
  ret void
}

define noundef double @f(ptr noundef readonly %x, i64 noundef %n) unnamed_addr #2 personality ptr @rust_eh_personality {
start:
  %v.i = alloca [24 x i8], align 8
  tail call void @llvm.experimental.noalias.scope.decl(metadata !16)
  call void @llvm.lifetime.start.p0(i64 24, ptr nonnull %v.i), !noalias !19
  store i64 0, ptr %v.i, align 8, !noalias !19
  %0 = getelementptr inbounds i8, ptr %v.i, i64 8
  store ptr inttoptr (i64 8 to ptr), ptr %0, align 8, !noalias !19
  %1 = getelementptr inbounds i8, ptr %v.i, i64 16
  store i64 0, ptr %1, align 8, !noalias !19
  %_26.i = getelementptr inbounds double, ptr %x, i64 %n
  %2 = icmp eq i64 %n, 0
  br i1 %2, label %_ZN16rust_vec_growing5grown17h59d33ba0b19e61f6E.exit.thread, label %bb4.i

_ZN16rust_vec_growing5grown17h59d33ba0b19e61f6E.exit.thread: ; preds = %start
  call void @llvm.lifetime.end.p0(i64 24, ptr nonnull %v.i), !noalias !19
  br label %bb9

bb4.i:                                            ; preds = %start, %bb10.i
  %_17.i14.i = phi ptr [ %_17.i15.i, %bb10.i ], [ inttoptr (i64 8 to ptr), %start ]
  %len.i.i = phi i64 [ %len.i13.i, %bb10.i ], [ 0, %start ]
  %iter.sroa.0.011.i = phi ptr [ %_24.i.i.i, %bb10.i ], [ %x, %start ]
  %iter.sroa.7.010.i = phi i64 [ %_8.0.i.i, %bb10.i ], [ 0, %start ]
  %_24.i.i.i = getelementptr inbounds i8, ptr %iter.sroa.0.011.i, i64 8
  %_8.0.i.i = add nuw nsw i64 %iter.sroa.7.010.i, 1
  %_31.i = load double, ptr %iter.sroa.0.011.i, align 8, !alias.scope !16, !noalias !21, !noundef !4
  %_14.i = fmul double %_31.i, %_31.i
  %_16.i = uitofp nneg i64 %iter.sroa.7.010.i to double
  %_15.i = fadd double %_16.i, 1.000000e+00
  %_13.i = fmul double %_15.i, %_14.i
  tail call void @llvm.experimental.noalias.scope.decl(metadata !22)
  %3 = load i64, ptr %v.i, align 8, !alias.scope !22, !noalias !25, !noundef !4
  %_4.i.i = icmp eq i64 %len.i.i, %3
  br i1 %_4.i.i, label %bb1.i.i, label %"_ZN5alloc3vec16Vec$LT$T$C$A$GT$4push17h98d48f1b53568b6fE.exit.i"

bb1.i.i:                                          ; preds = %bb4.i
  call void @"_ZN5alloc7raw_vec19RawVec$LT$T$C$A$GT$8grow_one17hf73058f546e5f160E"(ptr noalias noundef nonnull align 8 dereferenceable(16) %v.i, ptr noalias noundef nonnull readonly align 8 dereferenceable(24) @alloc_ee7f62d9ae9d3d09e1b3ede70b4f18ef) #13, !noalias !21
  %_17.i.pre.i = load ptr, ptr %0, align 8, !alias.scope !22, !noalias !25
  br label %"_ZN5alloc3vec16Vec$LT$T$C$A$GT$4push17h98d48f1b53568b6fE.exit.i"

"_ZN5alloc3vec16Vec$LT$T$C$A$GT$4push17h98d48f1b53568b6fE.exit.i": ; preds = %bb1.i.i, %bb4.i
  %_17.i.i = phi ptr [ %_17.i14.i, %bb4.i ], [ %_17.i.pre.i, %bb1.i.i ]
  %end.i.i = getelementptr inbounds double, ptr %_17.i.i, i64 %len.i.i
  store double %_13.i, ptr %end.i.i, align 8, !noalias !27
  %4 = add i64 %len.i.i, 1
  store i64 %4, ptr %1, align 8, !alias.scope !22, !noalias !25
  %_17.i = and i64 %iter.sroa.7.010.i, 1
  %.not.i = icmp eq i64 %_17.i, 0
  br i1 %.not.i, label %bb10.i, label %bb7.i

bb7.i:                                            ; preds = %"_ZN5alloc3vec16Vec$LT$T$C$A$GT$4push17h98d48f1b53568b6fE.exit.i"
  %5 = tail call double @llvm.sin.f64(double %_31.i)
  tail call void @llvm.experimental.noalias.scope.decl(metadata !28)
  %6 = load i64, ptr %v.i, align 8, !noalias !16, !noundef !4
  %_4.i2.i = icmp eq i64 %4, %6
  br i1 %_4.i2.i, label %bb1.i5.i, label %"_ZN5alloc3vec16Vec$LT$T$C$A$GT$4push17h98d48f1b53568b6fE.exit6.i"

bb1.i5.i:                                         ; preds = %bb7.i
  call void @"_ZN5alloc7raw_vec19RawVec$LT$T$C$A$GT$8grow_one17hf73058f546e5f160E"(ptr noalias noundef nonnull align 8 dereferenceable(16) %v.i, ptr noalias noundef nonnull readonly align 8 dereferenceable(24) @alloc_c9cb1f7d4caa627d6e19defb47fbf413) #13, !noalias !21
  br label %"_ZN5alloc3vec16Vec$LT$T$C$A$GT$4push17h98d48f1b53568b6fE.exit6.i"

"_ZN5alloc3vec16Vec$LT$T$C$A$GT$4push17h98d48f1b53568b6fE.exit6.i": ; preds = %bb1.i5.i, %bb7.i
  %_17.i3.i = load ptr, ptr %0, align 8, !noalias !16, !nonnull !4, !noundef !4
  %end.i4.i = getelementptr inbounds double, ptr %_17.i3.i, i64 %4
  store double %5, ptr %end.i4.i, align 8, !noalias !31
  %7 = add i64 %len.i.i, 2
  store i64 %7, ptr %1, align 8, !alias.scope !28, !noalias !32
  br label %bb10.i

bb10.i:                                           ; preds = %"_ZN5alloc3vec16Vec$LT$T$C$A$GT$4push17h98d48f1b53568b6fE.exit6.i", %"_ZN5alloc3vec16Vec$LT$T$C$A$GT$4push17h98d48f1b53568b6fE.exit.i"
  %_17.i15.i = phi ptr [ %_17.i.i, %"_ZN5alloc3vec16Vec$LT$T$C$A$GT$4push17h98d48f1b53568b6fE.exit.i" ], [ %_17.i3.i, %"_ZN5alloc3vec16Vec$LT$T$C$A$GT$4push17h98d48f1b53568b6fE.exit6.i" ]
  %len.i13.i = phi i64 [ %4, %"_ZN5alloc3vec16Vec$LT$T$C$A$GT$4push17h98d48f1b53568b6fE.exit.i" ], [ %7, %"_ZN5alloc3vec16Vec$LT$T$C$A$GT$4push17h98d48f1b53568b6fE.exit6.i" ]
  %8 = icmp eq ptr %_24.i.i.i, %_26.i
  br i1 %8, label %_ZN16rust_vec_growing5grown17h59d33ba0b19e61f6E.exit, label %bb4.i

_ZN16rust_vec_growing5grown17h59d33ba0b19e61f6E.exit: ; preds = %bb10.i
  %v.sroa.0.0.copyload.pre = load i64, ptr %v.i, align 8, !noalias !16
  %v.sroa.4.0.copyload.pre = load ptr, ptr %0, align 8, !noalias !16
  call void @llvm.lifetime.end.p0(i64 24, ptr nonnull %v.i), !noalias !19
  %_22 = icmp ult i64 %len.i13.i, 1152921504606846976
  tail call void @llvm.assume(i1 %_22)
  %_239.not = icmp eq i64 %len.i13.i, 0
  br i1 %_239.not, label %bb9, label %bb10.lr.ph

bb10.lr.ph:                                       ; preds = %_ZN16rust_vec_growing5grown17h59d33ba0b19e61f6E.exit
  %9 = icmp ne ptr %v.sroa.4.0.copyload.pre, null
  tail call void @llvm.assume(i1 %9)
  br i1 %2, label %panic2, label %bb10.preheader

bb10.preheader:                                   ; preds = %bb10.lr.ph
  %xtraiter = and i64 %len.i13.i, 1
  %10 = icmp eq i64 %len.i13.i, 1
  br i1 %10, label %bb9.loopexit.unr-lcssa, label %bb10.preheader.new

bb10.preheader.new:                               ; preds = %bb10.preheader
  %unroll_iter = and i64 %len.i13.i, 1152921504606846974
  br label %bb10

bb9.loopexit.unr-lcssa:                           ; preds = %bb10, %bb10.preheader
  %.lcssa.ph = phi double [ poison, %bb10.preheader ], [ %21, %bb10 ]
  %s.sroa.0.011.unr = phi double [ 0.000000e+00, %bb10.preheader ], [ %21, %bb10 ]
  %iter.sroa.0.010.unr = phi i64 [ 0, %bb10.preheader ], [ %_0.i.1, %bb10 ]
  %lcmp.mod.not = icmp eq i64 %xtraiter, 0
  br i1 %lcmp.mod.not, label %bb9, label %bb10.epil

bb10.epil:                                        ; preds = %bb9.loopexit.unr-lcssa
  %_11.epil = getelementptr inbounds double, ptr %v.sroa.4.0.copyload.pre, i64 %iter.sroa.0.010.unr
  %_10.epil = load double, ptr %_11.epil, align 8, !noundef !4
  %_13.epil = urem i64 %iter.sroa.0.010.unr, %n
  %11 = getelementptr inbounds double, ptr %x, i64 %_13.epil
  %_12.epil = load double, ptr %11, align 8, !noundef !4
  %_9.epil = fmul double %_10.epil, %_12.epil
  %12 = fadd double %s.sroa.0.011.unr, %_9.epil
  br label %bb9

bb9:                                              ; preds = %bb10.epil, %bb9.loopexit.unr-lcssa, %_ZN16rust_vec_growing5grown17h59d33ba0b19e61f6E.exit.thread, %_ZN16rust_vec_growing5grown17h59d33ba0b19e61f6E.exit
  %v.sroa.0.0.copyload22 = phi i64 [ %v.sroa.0.0.copyload.pre, %_ZN16rust_vec_growing5grown17h59d33ba0b19e61f6E.exit ], [ 0, %_ZN16rust_vec_growing5grown17h59d33ba0b19e61f6E.exit.thread ], [ %v.sroa.0.0.copyload.pre, %bb9.loopexit.unr-lcssa ], [ %v.sroa.0.0.copyload.pre, %bb10.epil ]
  %v.sroa.4.0.copyload21 = phi ptr [ %v.sroa.4.0.copyload.pre, %_ZN16rust_vec_growing5grown17h59d33ba0b19e61f6E.exit ], [ inttoptr (i64 8 to ptr), %_ZN16rust_vec_growing5grown17h59d33ba0b19e61f6E.exit.thread ], [ %v.sroa.4.0.copyload.pre, %bb9.loopexit.unr-lcssa ], [ %v.sroa.4.0.copyload.pre, %bb10.epil ]
  %v.sroa.7.0.copyload20 = phi i64 [ 0, %_ZN16rust_vec_growing5grown17h59d33ba0b19e61f6E.exit ], [ 0, %_ZN16rust_vec_growing5grown17h59d33ba0b19e61f6E.exit.thread ], [ %len.i13.i, %bb9.loopexit.unr-lcssa ], [ %len.i13.i, %bb10.epil ]
  %s.sroa.0.0.lcssa = phi double [ 0.000000e+00, %_ZN16rust_vec_growing5grown17h59d33ba0b19e61f6E.exit ], [ 0.000000e+00, %_ZN16rust_vec_growing5grown17h59d33ba0b19e61f6E.exit.thread ], [ %.lcssa.ph, %bb9.loopexit.unr-lcssa ], [ %12, %bb10.epil ]
  %13 = icmp ne ptr %v.sroa.4.0.copyload21, null
  tail call void @llvm.assume(i1 %13)
  %_0.sroa.0.0.sroa.speculated.i.i.i = tail call noundef i64 @llvm.umin.i64(i64 %v.sroa.7.0.copyload20, i64 %n)
  %_214.not.i = icmp eq i64 %_0.sroa.0.0.sroa.speculated.i.i.i, 0
  br i1 %_214.not.i, label %"_ZN111_$LT$core..iter..adapters..zip..Zip$LT$A$C$B$GT$$u20$as$u20$core..iter..adapters..zip..ZipImpl$LT$A$C$B$GT$$GT$4fold17h835d2cd22a16c846E.exit", label %bb14.lr.ph.i

bb14.lr.ph.i:                                     ; preds = %bb9
  %14 = icmp ne ptr %x, null
  tail call void @llvm.assume(i1 %14)
  %xtraiter24 = and i64 %_0.sroa.0.0.sroa.speculated.i.i.i, 3
  %15 = icmp ult i64 %_0.sroa.0.0.sroa.speculated.i.i.i, 4
  br i1 %15, label %"_ZN111_$LT$core..iter..adapters..zip..Zip$LT$A$C$B$GT$$u20$as$u20$core..iter..adapters..zip..ZipImpl$LT$A$C$B$GT$$GT$4fold17h835d2cd22a16c846E.exit.loopexit.unr-lcssa", label %bb14.lr.ph.i.new

bb14.lr.ph.i.new:                                 ; preds = %bb14.lr.ph.i
  %unroll_iter27 = and i64 %_0.sroa.0.0.sroa.speculated.i.i.i, 1152921504606846972
  br label %bb14.i

bb14.i:                                           ; preds = %bb14.i, %bb14.lr.ph.i.new
  %accum.sroa.0.06.i = phi double [ -0.000000e+00, %bb14.lr.ph.i.new ], [ %_0.i1.i.i.3, %bb14.i ]
  %iter.sroa.0.05.i = phi i64 [ 0, %bb14.lr.ph.i.new ], [ %_0.i.i.3, %bb14.i ]
  %niter28 = phi i64 [ 0, %bb14.lr.ph.i.new ], [ %niter28.next.3, %bb14.i ]
  %_0.i.i = or disjoint i64 %iter.sroa.0.05.i, 1
  %_3.i.i.i = getelementptr inbounds double, ptr %v.sroa.4.0.copyload21, i64 %iter.sroa.0.05.i
  %_3.i3.i.i = getelementptr inbounds double, ptr %x, i64 %iter.sroa.0.05.i
  tail call void @llvm.experimental.noalias.scope.decl(metadata !34)
  tail call void @llvm.experimental.noalias.scope.decl(metadata !37)
  tail call void @llvm.experimental.noalias.scope.decl(metadata !39)
  tail call void @llvm.experimental.noalias.scope.decl(metadata !42)
  %_5.i.i3.i = load double, ptr %_3.i.i.i, align 8, !alias.scope !44, !noalias !45, !noundef !4
  %_6.i.i.i = load double, ptr %_3.i3.i.i, align 8, !alias.scope !48, !noalias !49, !noundef !4
  %_0.i.i.i = fmul double %_5.i.i3.i, %_6.i.i.i
  %_0.i1.i.i = fadd double %accum.sroa.0.06.i, %_0.i.i.i
  %_0.i.i.1 = or disjoint i64 %iter.sroa.0.05.i, 2
  %_3.i.i.i.1 = getelementptr inbounds double, ptr %v.sroa.4.0.copyload21, i64 %_0.i.i
  %_3.i3.i.i.1 = getelementptr inbounds double, ptr %x, i64 %_0.i.i
  tail call void @llvm.experimental.noalias.scope.decl(metadata !50)
  tail call void @llvm.experimental.noalias.scope.decl(metadata !52)
  tail call void @llvm.experimental.noalias.scope.decl(metadata !54)
  tail call void @llvm.experimental.noalias.scope.decl(metadata !56)
  %_5.i.i3.i.1 = load double, ptr %_3.i.i.i.1, align 8, !alias.scope !58, !noalias !59, !noundef !4
  %_6.i.i.i.1 = load double, ptr %_3.i3.i.i.1, align 8, !alias.scope !60, !noalias !61, !noundef !4
  %_0.i.i.i.1 = fmul double %_5.i.i3.i.1, %_6.i.i.i.1
  %_0.i1.i.i.1 = fadd double %_0.i1.i.i, %_0.i.i.i.1
  %_0.i.i.2 = or disjoint i64 %iter.sroa.0.05.i, 3
  %_3.i.i.i.2 = getelementptr inbounds double, ptr %v.sroa.4.0.copyload21, i64 %_0.i.i.1
  %_3.i3.i.i.2 = getelementptr inbounds double, ptr %x, i64 %_0.i.i.1
  tail call void @llvm.experimental.noalias.scope.decl(metadata !62)
  tail call void @llvm.experimental.noalias.scope.decl(metadata !64)
  tail call void @llvm.experimental.noalias.scope.decl(metadata !66)
  tail call void @llvm.experimental.noalias.scope.decl(metadata !68)
  %_5.i.i3.i.2 = load double, ptr %_3.i.i.i.2, align 8, !alias.scope !70, !noalias !71, !noundef !4
  %_6.i.i.i.2 = load double, ptr %_3.i3.i.i.2, align 8, !alias.scope !72, !noalias !73, !noundef !4
  %_0.i.i.i.2 = fmul double %_5.i.i3.i.2, %_6.i.i.i.2
  %_0.i1.i.i.2 = fadd double %_0.i1.i.i.1, %_0.i.i.i.2
  %_0.i.i.3 = add nuw nsw i64 %iter.sroa.0.05.i, 4
  %_3.i.i.i.3 = getelementptr inbounds double, ptr %v.sroa.4.0.copyload21, i64 %_0.i.i.2
  %_3.i3.i.i.3 = getelementptr inbounds double, ptr %x, i64 %_0.i.i.2
  tail call void @llvm.experimental.noalias.scope.decl(metadata !74)
  tail call void @llvm.experimental.noalias.scope.decl(metadata !76)
  tail call void @llvm.experimental.noalias.scope.decl(metadata !78)
  tail call void @llvm.experimental.noalias.scope.decl(metadata !80)
  %_5.i.i3.i.3 = load double, ptr %_3.i.i.i.3, align 8, !alias.scope !82, !noalias !83, !noundef !4
  %_6.i.i.i.3 = load double, ptr %_3.i3.i.i.3, align 8, !alias.scope !84, !noalias !85, !noundef !4
  %_0.i.i.i.3 = fmul double %_5.i.i3.i.3, %_6.i.i.i.3
  %_0.i1.i.i.3 = fadd double %_0.i1.i.i.2, %_0.i.i.i.3
  %niter28.next.3 = add i64 %niter28, 4
  %niter28.ncmp.3 = icmp eq i64 %niter28.next.3, %unroll_iter27
  br i1 %niter28.ncmp.3, label %"_ZN111_$LT$core..iter..adapters..zip..Zip$LT$A$C$B$GT$$u20$as$u20$core..iter..adapters..zip..ZipImpl$LT$A$C$B$GT$$GT$4fold17h835d2cd22a16c846E.exit.loopexit.unr-lcssa", label %bb14.i

"_ZN111_$LT$core..iter..adapters..zip..Zip$LT$A$C$B$GT$$u20$as$u20$core..iter..adapters..zip..ZipImpl$LT$A$C$B$GT$$GT$4fold17h835d2cd22a16c846E.exit.loopexit.unr-lcssa": ; preds = %bb14.i, %bb14.lr.ph.i
  %_0.i1.i.i.lcssa.ph = phi double [ poison, %bb14.lr.ph.i ], [ %_0.i1.i.i.3, %bb14.i ]
  %accum.sroa.0.06.i.unr = phi double [ -0.000000e+00, %bb14.lr.ph.i ], [ %_0.i1.i.i.3, %bb14.i ]
  %iter.sroa.0.05.i.unr = phi i64 [ 0, %bb14.lr.ph.i ], [ %_0.i.i.3, %bb14.i ]
  %lcmp.mod25.not = icmp eq i64 %xtraiter24, 0
  br i1 %lcmp.mod25.not, label %"_ZN111_$LT$core..iter..adapters..zip..Zip$LT$A$C$B$GT$$u20$as$u20$core..iter..adapters..zip..ZipImpl$LT$A$C$B$GT$$GT$4fold17h835d2cd22a16c846E.exit", label %bb14.i.epil

bb14.i.epil:                                      ; preds = %"_ZN111_$LT$core..iter..adapters..zip..Zip$LT$A$C$B$GT$$u20$as$u20$core..iter..adapters..zip..ZipImpl$LT$A$C$B$GT$$GT$4fold17h835d2cd22a16c846E.exit.loopexit.unr-lcssa", %bb14.i.epil
  %accum.sroa.0.06.i.epil = phi double [ %_0.i1.i.i.epil, %bb14.i.epil ], [ %accum.sroa.0.06.i.unr, %"_ZN111_$LT$core..iter..adapters..zip..Zip$LT$A$C$B$GT$$u20$as$u20$core..iter..adapters..zip..ZipImpl$LT$A$C$B$GT$$GT$4fold17h835d2cd22a16c846E.exit.loopexit.unr-lcssa" ]
  %iter.sroa.0.05.i.epil = phi i64 [ %_0.i.i.epil, %bb14.i.epil ], [ %iter.sroa.0.05.i.unr, %"_ZN111_$LT$core..iter..adapters..zip..Zip$LT$A$C$B$GT$$u20$as$u20$core..iter..adapters..zip..ZipImpl$LT$A$C$B$GT$$GT$4fold17h835d2cd22a16c846E.exit.loopexit.unr-lcssa" ]
  %epil.iter = phi i64 [ %epil.iter.next, %bb14.i.epil ], [ 0, %"_ZN111_$LT$core..iter..adapters..zip..Zip$LT$A$C$B$GT$$u20$as$u20$core..iter..adapters..zip..ZipImpl$LT$A$C$B$GT$$GT$4fold17h835d2cd22a16c846E.exit.loopexit.unr-lcssa" ]
  %_0.i.i.epil = add nuw nsw i64 %iter.sroa.0.05.i.epil, 1
  %_3.i.i.i.epil = getelementptr inbounds double, ptr %v.sroa.4.0.copyload21, i64 %iter.sroa.0.05.i.epil
  %_3.i3.i.i.epil = getelementptr inbounds double, ptr %x, i64 %iter.sroa.0.05.i.epil
  tail call void @llvm.experimental.noalias.scope.decl(metadata !34)
  tail call void @llvm.experimental.noalias.scope.decl(metadata !37)
  tail call void @llvm.experimental.noalias.scope.decl(metadata !39)
  tail call void @llvm.experimental.noalias.scope.decl(metadata !42)
  %_5.i.i3.i.epil = load double, ptr %_3.i.i.i.epil, align 8, !alias.scope !44, !noalias !45, !noundef !4
  %_6.i.i.i.epil = load double, ptr %_3.i3.i.i.epil, align 8, !alias.scope !48, !noalias !49, !noundef !4
  %_0.i.i.i.epil = fmul double %_5.i.i3.i.epil, %_6.i.i.i.epil
  %_0.i1.i.i.epil = fadd double %accum.sroa.0.06.i.epil, %_0.i.i.i.epil
  %epil.iter.next = add i64 %epil.iter, 1
  %epil.iter.cmp.not = icmp eq i64 %epil.iter.next, %xtraiter24
  br i1 %epil.iter.cmp.not, label %"_ZN111_$LT$core..iter..adapters..zip..Zip$LT$A$C$B$GT$$u20$as$u20$core..iter..adapters..zip..ZipImpl$LT$A$C$B$GT$$GT$4fold17h835d2cd22a16c846E.exit", label %bb14.i.epil, !llvm.loop !86

"_ZN111_$LT$core..iter..adapters..zip..Zip$LT$A$C$B$GT$$u20$as$u20$core..iter..adapters..zip..ZipImpl$LT$A$C$B$GT$$GT$4fold17h835d2cd22a16c846E.exit": ; preds = %"_ZN111_$LT$core..iter..adapters..zip..Zip$LT$A$C$B$GT$$u20$as$u20$core..iter..adapters..zip..ZipImpl$LT$A$C$B$GT$$GT$4fold17h835d2cd22a16c846E.exit.loopexit.unr-lcssa", %bb14.i.epil, %bb9
  %accum.sroa.0.0.lcssa.i = phi double [ -0.000000e+00, %bb9 ], [ %_0.i1.i.i.lcssa.ph, %"_ZN111_$LT$core..iter..adapters..zip..Zip$LT$A$C$B$GT$$u20$as$u20$core..iter..adapters..zip..ZipImpl$LT$A$C$B$GT$$GT$4fold17h835d2cd22a16c846E.exit.loopexit.unr-lcssa" ], [ %_0.i1.i.i.epil, %bb14.i.epil ]
  %16 = icmp eq i64 %v.sroa.0.0.copyload22, 0
  br i1 %16, label %"_ZN4core3ptr47drop_in_place$LT$alloc..vec..Vec$LT$f64$GT$$GT$17h89cb54c645baafd2E.exit", label %bb1.i.i.i.i.i

bb1.i.i.i.i.i:                                    ; preds = %"_ZN111_$LT$core..iter..adapters..zip..Zip$LT$A$C$B$GT$$u20$as$u20$core..iter..adapters..zip..ZipImpl$LT$A$C$B$GT$$GT$4fold17h835d2cd22a16c846E.exit"
  %17 = shl nuw i64 %v.sroa.0.0.copyload22, 3
  tail call void @__rust_dealloc(ptr noundef nonnull %v.sroa.4.0.copyload21, i64 noundef %17, i64 noundef 8) #13, !noalias !88
  br label %"_ZN4core3ptr47drop_in_place$LT$alloc..vec..Vec$LT$f64$GT$$GT$17h89cb54c645baafd2E.exit"

"_ZN4core3ptr47drop_in_place$LT$alloc..vec..Vec$LT$f64$GT$$GT$17h89cb54c645baafd2E.exit": ; preds = %"_ZN111_$LT$core..iter..adapters..zip..Zip$LT$A$C$B$GT$$u20$as$u20$core..iter..adapters..zip..ZipImpl$LT$A$C$B$GT$$GT$4fold17h835d2cd22a16c846E.exit", %bb1.i.i.i.i.i
  %_0 = fadd double %s.sroa.0.0.lcssa, %accum.sroa.0.0.lcssa.i
  ret double %_0

bb10:                                             ; preds = %bb10, %bb10.preheader.new
  %s.sroa.0.011 = phi double [ 0.000000e+00, %bb10.preheader.new ], [ %21, %bb10 ]
  %iter.sroa.0.010 = phi i64 [ 0, %bb10.preheader.new ], [ %_0.i.1, %bb10 ]
  %niter = phi i64 [ 0, %bb10.preheader.new ], [ %niter.next.1, %bb10 ]
  %_11 = getelementptr inbounds double, ptr %v.sroa.4.0.copyload.pre, i64 %iter.sroa.0.010
  %_10 = load double, ptr %_11, align 8, !noundef !4
  %_0.i = or disjoint i64 %iter.sroa.0.010, 1
  %_13 = urem i64 %iter.sroa.0.010, %n
  %18 = getelementptr inbounds double, ptr %x, i64 %_13
  %_12 = load double, ptr %18, align 8, !noundef !4
  %_9 = fmul double %_10, %_12
  %19 = fadd double %s.sroa.0.011, %_9
  %_11.1 = getelementptr inbounds double, ptr %v.sroa.4.0.copyload.pre, i64 %_0.i
  %_10.1 = load double, ptr %_11.1, align 8, !noundef !4
  %_0.i.1 = add nuw nsw i64 %iter.sroa.0.010, 2
  %_13.1 = urem i64 %_0.i, %n
  %20 = getelementptr inbounds double, ptr %x, i64 %_13.1
  %_12.1 = load double, ptr %20, align 8, !noundef !4
  %_9.1 = fmul double %_10.1, %_12.1
  %21 = fadd double %19, %_9.1
  %niter.next.1 = add i64 %niter, 2
  %niter.ncmp.1 = icmp eq i64 %niter.next.1, %unroll_iter
  br i1 %niter.ncmp.1, label %bb9.loopexit.unr-lcssa, label %bb10

panic2:                                           ; preds = %bb10.lr.ph
  tail call void @_ZN4core9panicking11panic_const23panic_const_rem_by_zero17h826fbe7a099e6b2cE(ptr noalias noundef nonnull readonly align 8 dereferenceable(24) @alloc_c15b7572a8d66f8e649c72ebf5c5ea1b) #14
  unreachable
}

declare noundef range(i32 0, 10) i32 @rust_eh_personality(i32 noundef, i32 noundef range(i32 1, 17), i64 noundef, ptr noundef, ptr noundef) unnamed_addr #2

declare void @llvm.assume(i1 noundef) #3

declare noalias noundef ptr @__rust_alloc(i64 noundef, i64 allocalign noundef) unnamed_addr #4

declare void @__rust_dealloc(ptr allocptr noundef, i64 noundef, i64 noundef) unnamed_addr #5

declare noalias noundef ptr @__rust_realloc(ptr allocptr noundef, i64 noundef, i64 allocalign noundef, i64 noundef) unnamed_addr #6

declare void @_ZN5alloc7raw_vec12handle_error17ha614eb2cb128a857E(i64 noundef range(i64 0, -9223372036854775807), i64, ptr noalias noundef readonly align 8 dereferenceable(24)) unnamed_addr #7

declare double @llvm.sin.f64(double) #8

declare void @_ZN4core9panicking11panic_const23panic_const_rem_by_zero17h826fbe7a099e6b2cE(ptr noalias noundef readonly align 8 dereferenceable(24)) unnamed_addr #9

declare void @llvm.lifetime.start.p0(i64 immarg, ptr nocapture) #10

declare void @llvm.lifetime.end.p0(i64 immarg, ptr nocapture) #10

declare void @llvm.experimental.noalias.scope.decl(metadata) #11

declare i64 @llvm.umax.i64(i64, i64) #12

declare i64 @llvm.umin.i64(i64, i64) #12

attributes #0 = { cold nounwind nonlazybind "probe-stack"="inline-asm" "target-cpu"="x86-64" }
attributes #1 = { noinline nounwind nonlazybind "probe-stack"="inline-asm" "target-cpu"="x86-64" }
attributes #2 = { nounwind nonlazybind "probe-stack"="inline-asm" "target-cpu"="x86-64" }
attributes #3 = { mustprogress nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write) }
attributes #4 = { nounwind nonlazybind allockind("alloc,uninitialized,aligned") allocsize(0) "alloc-family"="__rust_alloc" "probe-stack"="inline-asm" "target-cpu"="x86-64" }
attributes #5 = { nounwind nonlazybind allockind("free") "alloc-family"="__rust_alloc" "probe-stack"="inline-asm" "target-cpu"="x86-64" }
attributes #6 = { nounwind nonlazybind allockind("realloc,aligned") allocsize(3) "alloc-family"="__rust_alloc" "probe-stack"="inline-asm" "target-cpu"="x86-64" }
attributes #7 = { cold minsize noreturn nounwind nonlazybind optsize "probe-stack"="inline-asm" "target-cpu"="x86-64" }
attributes #8 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #9 = { cold noinline noreturn nounwind nonlazybind "probe-stack"="inline-asm" "target-cpu"="x86-64" }
attributes #10 = { mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #11 = { nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: readwrite) }
attributes #12 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #13 = { nounwind }
attributes #14 = { noreturn nounwind }

!llvm.module.flags = !{!0, !1}

!0 = !{i32 8, !"PIC Level", i32 2}
!1 = !{i32 2, !"RtLibUseGOT", i32 1}
!2 = !{!"rustc version 1.85.0 (4d91de4e4 2025-02-17) (built from a source tarball)"}
!3 = !{i64 0, i64 -9223372036854775807}
!4 = !{}
!5 = !{!6}
!6 = distinct !{!6, !7, !"_ZN5alloc7raw_vec20RawVecInner$LT$A$GT$14grow_amortized17hb44b52f32a95bbf6E: %self"}
!7 = distinct !{!7, !"_ZN5alloc7raw_vec20RawVecInner$LT$A$GT$14grow_amortized17hb44b52f32a95bbf6E"}
!8 = !{!"branch_weights", !"expected", i32 1, i32 2000}
!9 = !{!10}
!10 = distinct !{!10, !11, !"_ZN5alloc7raw_vec20RawVecInner$LT$A$GT$14current_memory17hb3c2f46d8a904ee7E: %_0"}
!11 = distinct !{!11, !"_ZN5alloc7raw_vec20RawVecInner$LT$A$GT$14current_memory17hb3c2f46d8a904ee7E"}
!12 = !{!13}
!13 = distinct !{!13, !11, !"_ZN5alloc7raw_vec20RawVecInner$LT$A$GT$14current_memory17hb3c2f46d8a904ee7E: %self"}
!14 = !{!13, !6}
!15 = !{i64 0, i64 2}
!16 = !{!17}
!17 = distinct !{!17, !18, !"_ZN16rust_vec_growing5grown17h59d33ba0b19e61f6E: %x.0"}
!18 = distinct !{!18, !"_ZN16rust_vec_growing5grown17h59d33ba0b19e61f6E"}
!19 = !{!20, !17}
!20 = distinct !{!20, !18, !"_ZN16rust_vec_growing5grown17h59d33ba0b19e61f6E: %_0"}
!21 = !{!20}
!22 = !{!23}
!23 = distinct !{!23, !24, !"_ZN5alloc3vec16Vec$LT$T$C$A$GT$4push17h98d48f1b53568b6fE: %self"}
!24 = distinct !{!24, !"_ZN5alloc3vec16Vec$LT$T$C$A$GT$4push17h98d48f1b53568b6fE"}
!25 = !{!26, !20, !17}
!26 = distinct !{!26, !24, !"_ZN5alloc3vec16Vec$LT$T$C$A$GT$4push17h98d48f1b53568b6fE: argument 1"}
!27 = !{!23, !20}
!28 = !{!29}
!29 = distinct !{!29, !30, !"_ZN5alloc3vec16Vec$LT$T$C$A$GT$4push17h98d48f1b53568b6fE: %self"}
!30 = distinct !{!30, !"_ZN5alloc3vec16Vec$LT$T$C$A$GT$4push17h98d48f1b53568b6fE"}
!31 = !{!29, !20}
!32 = !{!33, !20, !17}
!33 = distinct !{!33, !30, !"_ZN5alloc3vec16Vec$LT$T$C$A$GT$4push17h98d48f1b53568b6fE: argument 1"}
!34 = !{!35}
!35 = distinct !{!35, !36, !"_ZN4core4iter8adapters3map8map_fold28_$u7b$$u7b$closure$u7d$$u7d$17hf5921755690968c1E: %elt.0"}
!36 = distinct !{!36, !"_ZN4core4iter8adapters3map8map_fold28_$u7b$$u7b$closure$u7d$$u7d$17hf5921755690968c1E"}
!37 = !{!38}
!38 = distinct !{!38, !36, !"_ZN4core4iter8adapters3map8map_fold28_$u7b$$u7b$closure$u7d$$u7d$17hf5921755690968c1E: %elt.1"}
!39 = !{!40}
!40 = distinct !{!40, !41, !"_ZN16rust_vec_growing1f28_$u7b$$u7b$closure$u7d$$u7d$17h36565fe07e46e474E: %_2.0"}
!41 = distinct !{!41, !"_ZN16rust_vec_growing1f28_$u7b$$u7b$closure$u7d$$u7d$17h36565fe07e46e474E"}
!42 = !{!43}
!43 = distinct !{!43, !41, !"_ZN16rust_vec_growing1f28_$u7b$$u7b$closure$u7d$$u7d$17h36565fe07e46e474E: %_2.1"}
!44 = !{!40, !35}
!45 = !{!43, !38, !46}
!46 = distinct !{!46, !47, !"_ZN111_$LT$core..iter..adapters..zip..Zip$LT$A$C$B$GT$$u20$as$u20$core..iter..adapters..zip..ZipImpl$LT$A$C$B$GT$$GT$4fold17h835d2cd22a16c846E: %self"}
!47 = distinct !{!47, !"_ZN111_$LT$core..iter..adapters..zip..Zip$LT$A$C$B$GT$$u20$as$u20$core..iter..adapters..zip..ZipImpl$LT$A$C$B$GT$$GT$4fold17h835d2cd22a16c846E"}
!48 = !{!43, !38}
!49 = !{!40, !35, !46}
!50 = !{!51}
!51 = distinct !{!51, !36, !"_ZN4core4iter8adapters3map8map_fold28_$u7b$$u7b$closure$u7d$$u7d$17hf5921755690968c1E: %elt.0:It1"}
!52 = !{!53}
!53 = distinct !{!53, !36, !"_ZN4core4iter8adapters3map8map_fold28_$u7b$$u7b$closure$u7d$$u7d$17hf5921755690968c1E: %elt.1:It1"}
!54 = !{!55}
!55 = distinct !{!55, !41, !"_ZN16rust_vec_growing1f28_$u7b$$u7b$closure$u7d$$u7d$17h36565fe07e46e474E: %_2.0:It1"}
!56 = !{!57}
!57 = distinct !{!57, !41, !"_ZN16rust_vec_growing1f28_$u7b$$u7b$closure$u7d$$u7d$17h36565fe07e46e474E: %_2.1:It1"}
!58 = !{!55, !51}
!59 = !{!57, !53, !46}
!60 = !{!57, !53}
!61 = !{!55, !51, !46}
!62 = !{!63}
!63 = distinct !{!63, !36, !"_ZN4core4iter8adapters3map8map_fold28_$u7b$$u7b$closure$u7d$$u7d$17hf5921755690968c1E: %elt.0:It2"}
!64 = !{!65}
!65 = distinct !{!65, !36, !"_ZN4core4iter8adapters3map8map_fold28_$u7b$$u7b$closure$u7d$$u7d$17hf5921755690968c1E: %elt.1:It2"}
!66 = !{!67}
!67 = distinct !{!67, !41, !"_ZN16rust_vec_growing1f28_$u7b$$u7b$closure$u7d$$u7d$17h36565fe07e46e474E: %_2.0:It2"}
!68 = !{!69}
!69 = distinct !{!69, !41, !"_ZN16rust_vec_growing1f28_$u7b$$u7b$closure$u7d$$u7d$17h36565fe07e46e474E: %_2.1:It2"}
!70 = !{!67, !63}
!71 = !{!69, !65, !46}
!72 = !{!69, !65}
!73 = !{!67, !63, !46}
!74 = !{!75}
!75 = distinct !{!75, !36, !"_ZN4core4iter8adapters3map8map_fold28_$u7b$$u7b$closure$u7d$$u7d$17hf5921755690968c1E: %elt.0:It3"}
!76 = !{!77}
!77 = distinct !{!77, !36, !"_ZN4core4iter8adapters3map8map_fold28_$u7b$$u7b$closure$u7d$$u7d$17hf5921755690968c1E: %elt.1:It3"}
!78 = !{!79}
!79 = distinct !{!79, !41, !"_ZN16rust_vec_growing1f28_$u7b$$u7b$closure$u7d$$u7d$17h36565fe07e46e474E: %_2.0:It3"}
!80 = !{!81}
!81 = distinct !{!81, !41, !"_ZN16rust_vec_growing1f28_$u7b$$u7b$closure$u7d$$u7d$17h36565fe07e46e474E: %_2.1:It3"}
!82 = !{!79, !75}
!83 = !{!81, !77, !46}
!84 = !{!81, !77}
!85 = !{!79, !75, !46}
!86 = distinct !{!86, !87}
!87 = !{!"llvm.loop.unroll.disable"}
!88 = !{!89, !91, !93, !95}
!89 = distinct !{!89, !90, !"_ZN5alloc7raw_vec20RawVecInner$LT$A$GT$10deallocate17h31a5ff9bfca2bff1E: %self"}
!90 = distinct !{!90, !"_ZN5alloc7raw_vec20RawVecInner$LT$A$GT$10deallocate17h31a5ff9bfca2bff1E"}
!91 = distinct !{!91, !92, !"_ZN77_$LT$alloc..raw_vec..RawVec$LT$T$C$A$GT$$u20$as$u20$core..ops..drop..Drop$GT$4drop17hbbc8dc4266d2ccb5E: %self"}
!92 = distinct !{!92, !"_ZN77_$LT$alloc..raw_vec..RawVec$LT$T$C$A$GT$$u20$as$u20$core..ops..drop..Drop$GT$4drop17hbbc8dc4266d2ccb5E"}
!93 = distinct !{!93, !94, !"_ZN4core3ptr54drop_in_place$LT$alloc..raw_vec..RawVec$LT$f64$GT$$GT$17h00ceeb8d293886bcE: %_1"}
!94 = distinct !{!94, !"_ZN4core3ptr54drop_in_place$LT$alloc..raw_vec..RawVec$LT$f64$GT$$GT$17h00ceeb8d293886bcE"}
!95 = distinct !{!95, !96, !"_ZN4core3ptr47drop_in_place$LT$alloc..vec..Vec$LT$f64$GT$$GT$17h89cb54c645baafd2E: %_1"}
!96 = distinct !{!96, !"_ZN4core3ptr47drop_in_place$LT$alloc..vec..Vec$LT$f64$GT$$GT$17h89cb54c645baafd2E"}

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
