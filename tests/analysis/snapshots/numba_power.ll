; ModuleID = '<string>'
source_filename = "<string>"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@.const.pickledata.331b8563bdb9dac81b38422273052c486fc1706b = internal constant [77 x i8] c"\80\04\95B\00\00\00\00\00\00\00\8C\08builtins\94\8C\0AValueError\94\93\94\8C\1Fnegative dimensions not allowed\94\85\94N\87\94."
@.const.pickledata.331b8563bdb9dac81b38422273052c486fc1706b.sha1 = internal constant [20 x i8] c"3\1B\85c\BD\B9\DA\C8\1B8B\22s\05,Ho\C1pk"
@.const.picklebuf.331b8563bdb9dac81b38422273052c486fc1706b = internal constant { ptr, i32, ptr, ptr, i32 } { ptr @.const.pickledata.331b8563bdb9dac81b38422273052c486fc1706b, i32 77, ptr @.const.pickledata.331b8563bdb9dac81b38422273052c486fc1706b.sha1, ptr null, i32 0 }
@.const.pickledata.58e14eccb507b1e0206981740223e685cb8c3c57.10 = internal constant [137 x i8] c"\80\04\95~\00\00\00\00\00\00\00\8C\08builtins\94\8C\0AValueError\94\93\94\8C[array is too big; `arr.size * arr.dtype.itemsize` is larger than the maximum possible size.\94\85\94N\87\94."
@.const.pickledata.58e14eccb507b1e0206981740223e685cb8c3c57.sha1.11 = internal constant [20 x i8] c"X\E1N\CC\B5\07\B1\E0 i\81t\02#\E6\85\CB\8C<W"
@.const.picklebuf.58e14eccb507b1e0206981740223e685cb8c3c57.9 = internal constant { ptr, i32, ptr, ptr, i32 } { ptr @.const.pickledata.58e14eccb507b1e0206981740223e685cb8c3c57.10, i32 137, ptr @.const.pickledata.58e14eccb507b1e0206981740223e685cb8c3c57.sha1.11, ptr null, i32 0 }
@.const.pickledata.ba289d81f05c7020f3477c15734804df65abe209 = internal constant [86 x i8] c"\80\04\95K\00\00\00\00\00\00\00\8C\08builtins\94\8C\0BMemoryError\94\93\94\8C'Allocation failed (probably too large).\94\85\94N\87\94."
@.const.pickledata.ba289d81f05c7020f3477c15734804df65abe209.sha1 = internal constant [20 x i8] c"\BA(\9D\81\F0\\p \F3G|\15sH\04\DFe\AB\E2\09"
@.const.picklebuf.ba289d81f05c7020f3477c15734804df65abe209 = internal constant { ptr, i32, ptr, ptr, i32 } { ptr @.const.pickledata.ba289d81f05c7020f3477c15734804df65abe209, i32 86, ptr @.const.pickledata.ba289d81f05c7020f3477c15734804df65abe209.sha1, ptr null, i32 0 }
@.const.pickledata.331b8563bdb9dac81b38422273052c486fc1706b.25 = internal constant [77 x i8] c"\80\04\95B\00\00\00\00\00\00\00\8C\08builtins\94\8C\0AValueError\94\93\94\8C\1Fnegative dimensions not allowed\94\85\94N\87\94."
@.const.pickledata.331b8563bdb9dac81b38422273052c486fc1706b.sha1.26 = internal constant [20 x i8] c"3\1B\85c\BD\B9\DA\C8\1B8B\22s\05,Ho\C1pk"
@.const.picklebuf.331b8563bdb9dac81b38422273052c486fc1706b.21 = internal constant { ptr, i32, ptr, ptr, i32 } { ptr @.const.pickledata.331b8563bdb9dac81b38422273052c486fc1706b.25, i32 77, ptr @.const.pickledata.331b8563bdb9dac81b38422273052c486fc1706b.sha1.26, ptr null, i32 0 }
@.const.pickledata.58e14eccb507b1e0206981740223e685cb8c3c57.23 = internal constant [137 x i8] c"\80\04\95~\00\00\00\00\00\00\00\8C\08builtins\94\8C\0AValueError\94\93\94\8C[array is too big; `arr.size * arr.dtype.itemsize` is larger than the maximum possible size.\94\85\94N\87\94."
@.const.pickledata.58e14eccb507b1e0206981740223e685cb8c3c57.sha1.24 = internal constant [20 x i8] c"X\E1N\CC\B5\07\B1\E0 i\81t\02#\E6\85\CB\8C<W"
@.const.picklebuf.58e14eccb507b1e0206981740223e685cb8c3c57.22 = internal constant { ptr, i32, ptr, ptr, i32 } { ptr @.const.pickledata.58e14eccb507b1e0206981740223e685cb8c3c57.23, i32 137, ptr @.const.pickledata.58e14eccb507b1e0206981740223e685cb8c3c57.sha1.24, ptr null, i32 0 }
@".const.BLAS wrapper returned with an error" = internal constant [36 x i8] c"BLAS wrapper returned with an error\00"
@.const.pickledata.44f6364fa9e4011a419f8311db87de2f2798ed39 = internal constant [191 x i8] c"\80\04\95\B4\00\00\00\00\00\00\00\8C\08builtins\94\8C\0AValueError\94\93\94\8C;incompatible array sizes for np.dot(a, b) (matrix * vector)\94\85\94\8C\13dot_3_mv_check_args\94\8C9/opt/venv/lib/python3.11/site-packages/numba/np/linalg.py\94M\B7\02\87\94\87\94."
@.const.pickledata.44f6364fa9e4011a419f8311db87de2f2798ed39.sha1 = internal constant [20 x i8] c"D\F66O\A9\E4\01\1AA\9F\83\11\DB\87\DE/'\98\ED9"
@.const.picklebuf.44f6364fa9e4011a419f8311db87de2f2798ed39 = internal constant { ptr, i32, ptr, ptr, i32 } { ptr @.const.pickledata.44f6364fa9e4011a419f8311db87de2f2798ed39, i32 191, ptr @.const.pickledata.44f6364fa9e4011a419f8311db87de2f2798ed39.sha1, ptr null, i32 0 }
@.const.pickledata.76d489337b4612e73980471442c2c2548eba518d = internal constant [156 x i8] c"\80\04\95\91\00\00\00\00\00\00\00\8C\08builtins\94\8C\0DOverflowError\94\93\94\8C$array size too large to fit in C int\94\85\94\8C\04impl\94\8C9/opt/venv/lib/python3.11/site-packages/numba/np/linalg.py\94Ms\01\87\94\87\94."
@.const.pickledata.76d489337b4612e73980471442c2c2548eba518d.sha1 = internal constant [20 x i8] c"v\D4\893{F\12\E79\80G\14B\C2\C2T\8E\BAQ\8D"
@.const.picklebuf.76d489337b4612e73980471442c2c2548eba518d = internal constant { ptr, i32, ptr, ptr, i32 } { ptr @.const.pickledata.76d489337b4612e73980471442c2c2548eba518d, i32 156, ptr @.const.pickledata.76d489337b4612e73980471442c2c2548eba518d.sha1, ptr null, i32 0 }
@.const.pickledata.90cd580a765d038d80e59343b6db326fb4127642 = internal constant [117 x i8] c"\80\04\95j\00\00\00\00\00\00\00\8C\08builtins\94\8C\0EAssertionError\94\93\94)\8C\04impl\94\8C9/opt/venv/lib/python3.11/site-packages/numba/np/linalg.py\94M,\09\87\94\87\94."
@.const.pickledata.90cd580a765d038d80e59343b6db326fb4127642.sha1 = internal constant [20 x i8] c"\90\CDX\0Av]\03\8D\80\E5\93C\B6\DB2o\B4\12vB"
@.const.picklebuf.90cd580a765d038d80e59343b6db326fb4127642 = internal constant { ptr, i32, ptr, ptr, i32 } { ptr @.const.pickledata.90cd580a765d038d80e59343b6db326fb4127642, i32 117, ptr @.const.pickledata.90cd580a765d038d80e59343b6db326fb4127642.sha1, ptr null, i32 0 }
@.const.pickledata.2b98f4136688ddd3c02912370686f1a00131280c = internal constant [67 x i8] c"\80\04\958\00\00\00\00\00\00\00\8C\08builtins\94\8C\0BMemoryError\94\93\94\8C\14cannot allocate list\94\85\94N\87\94."
@.const.pickledata.2b98f4136688ddd3c02912370686f1a00131280c.sha1 = internal constant [20 x i8] c"+\98\F4\13f\88\DD\D3\C0)\127\06\86\F1\A0\011(\0C"
@.const.picklebuf.2b98f4136688ddd3c02912370686f1a00131280c = internal constant { ptr, i32, ptr, ptr, i32 } { ptr @.const.pickledata.2b98f4136688ddd3c02912370686f1a00131280c, i32 67, ptr @.const.pickledata.2b98f4136688ddd3c02912370686f1a00131280c.sha1, ptr null, i32 0 }
@.const.pickledata.5753419f7c3c9d9e41a51c7a572cce1624a39a7f = internal constant [66 x i8] c"\80\04\957\00\00\00\00\00\00\00\8C\08builtins\94\8C\0AIndexError\94\93\94\8C\14getitem out of range\94\85\94N\87\94."
@.const.pickledata.5753419f7c3c9d9e41a51c7a572cce1624a39a7f.sha1 = internal constant [20 x i8] c"WSA\9F|<\9D\9EA\A5\1CzW,\CE\16$\A3\9A\7F"
@.const.picklebuf.5753419f7c3c9d9e41a51c7a572cce1624a39a7f = internal constant { ptr, i32, ptr, ptr, i32 } { ptr @.const.pickledata.5753419f7c3c9d9e41a51c7a572cce1624a39a7f, i32 66, ptr @.const.pickledata.5753419f7c3c9d9e41a51c7a572cce1624a39a7f.sha1, ptr null, i32 0 }

; Function Attrs: nofree noinline norecurse nounwind willreturn memory(argmem: readwrite)
declare void @NRT_incref(ptr) local_unnamed_addr #0

; Function Attrs: noinline nounwind
declare void @NRT_decref(ptr) local_unnamed_addr #1

define range(i32 0, 2) i32 @_ZN8__main__5powerB3v30B38c8tJTIeFIjxB2IKSgI4CrvQClQZ6FczSBAA_3dE5ArrayIdLi2E1C7mutable7alignedE5ArrayIdLi1E1C7mutable7alignedE(ptr noalias writeonly captures(none) %retptr, ptr noalias writeonly captures(none) %excinfo, ptr %arg.A.0, ptr readnone captures(none) %arg.A.1, i64 %arg.A.2, i64 %arg.A.3, ptr %arg.A.4, i64 %arg.A.5.0, i64 %arg.A.5.1, i64 %arg.A.6.0, i64 %arg.A.6.1, ptr %arg.x.0, ptr readnone captures(none) %arg.x.1, i64 %arg.x.2, i64 %arg.x.3, ptr %arg.x.4, i64 %arg.x.5.0, i64 %arg.x.6.0) local_unnamed_addr {
B36.preheader:
  %.179.i = alloca double, align 8
  %.182.i = alloca double, align 8
  %.193.i = alloca i32, align 4
  tail call void @NRT_incref(ptr %arg.A.0)
  tail call void @NRT_incref(ptr %arg.x.0)
  %.74.i = icmp eq i64 %arg.A.5.1, 0
  %.18.i319 = icmp slt i64 %arg.A.5.0, 0
  %.33.i323 = shl nsw i64 %arg.A.5.0, 3
  %.5.i356 = icmp samesign ugt i64 %arg.A.5.0, 2147483647
  %.5.i = icmp sgt i64 %arg.A.5.1, 2147483647
  %.164.i346 = icmp eq i64 %arg.A.5.0, 0
  %.368 = icmp ugt i64 %arg.A.5.0, 1
  %brmerge751.not = icmp ult i64 %arg.A.5.0, 1152921504606846976
  br label %B36

B36:                                              ; preds = %B36.preheader, %for.end
  %x.2.sroa.0.0209 = phi ptr [ %.7.i306, %for.end ], [ %arg.x.0, %B36.preheader ]
  %x.2.sroa.36.0205 = phi ptr [ %data.i, %for.end ], [ %arg.x.4, %B36.preheader ]
  %x.2.sroa.45.0204 = phi i64 [ %arg.A.5.0, %for.end ], [ %arg.x.5.0, %B36.preheader ]
  %.128186202 = phi i64 [ %.138, %for.end ], [ 5, %B36.preheader ]
  %.138 = add nsw i64 %.128186202, -1
  call void @NRT_incref(ptr %arg.A.0), !noalias !0
  call void @NRT_incref(ptr %x.2.sroa.0.0209), !noalias !0
  call void @NRT_incref(ptr %arg.A.0), !noalias !4
  call void @NRT_incref(ptr %x.2.sroa.0.0209), !noalias !4
  br i1 %.74.i, label %B54.i, label %B108.i

B54.i:                                            ; preds = %B36
  call void @NRT_decref(ptr %x.2.sroa.0.0209), !noalias !4
  call void @NRT_decref(ptr %arg.A.0), !noalias !4
  br i1 %brmerge751.not, label %B0.endif.endif.endif.i, label %B36.if.if.loopexit.split.loop.exit793, !prof !8

B0.endif.endif.endif.i:                           ; preds = %B54.i
  %.7.i310 = call ptr @NRT_MemInfo_alloc_aligned(i64 %.33.i323, i32 32), !noalias !9
  %.8.i311 = icmp eq ptr %.7.i310, null
  br i1 %.8.i311, label %B36.if.if.loopexit, label %B54.endif.i, !prof !22

B108.i:                                           ; preds = %B36
  br i1 %brmerge751.not, label %B0.endif.endif.endif.i322, label %B36.if.if.loopexit.split.loop.exit, !prof !8

B0.endif.endif.endif.i322:                        ; preds = %B108.i
  %.7.i24.i = call ptr @NRT_MemInfo_alloc_aligned(i64 %.33.i323, i32 32), !noalias !23
  %.8.i.i = icmp eq ptr %.7.i24.i, null
  br i1 %.8.i.i, label %B36.if.if.loopexit, label %B108.endif.i, !prof !22

B54.endif.i:                                      ; preds = %B0.endif.endif.endif.i
  call void @NRT_incref(ptr nonnull %.7.i310), !noalias !9
  %slot.i.i = getelementptr inbounds nuw i8, ptr %.7.i310, i64 24
  %data.i.i = load ptr, ptr %slot.i.i, align 8, !noalias !33
  call void @llvm.memset.p0.i64(ptr align 1 %data.i.i, i8 0, i64 %.33.i323, i1 false), !noalias !34
  br label %B36.endif

B108.endif.i:                                     ; preds = %B0.endif.endif.endif.i322
  call void @NRT_incref(ptr nonnull %.7.i24.i), !noalias !23
  %slot.i.i330 = getelementptr inbounds nuw i8, ptr %.7.i24.i, i64 24
  %data.i.i331 = load ptr, ptr %slot.i.i330, align 8, !noalias !37
  call void @llvm.lifetime.start.p0(ptr nonnull %.179.i)
  call void @llvm.lifetime.start.p0(ptr nonnull %.182.i)
  call void @llvm.lifetime.start.p0(ptr nonnull %.193.i)
  store i32 0, ptr %.193.i, align 4, !noalias !38
  call void @NRT_incref(ptr %arg.A.0), !noalias !38
  call void @NRT_incref(ptr %x.2.sroa.0.0209), !noalias !38
  %.90.not.i = icmp ne i64 %x.2.sroa.45.0204, %arg.A.5.1
  %0 = select i1 %.90.not.i, i1 true, i1 %.5.i356
  %brmerge752 = or i1 %.5.i, %0
  br i1 %brmerge752, label %B108.endif.if.if.i, label %B0.endif.endif.endif.i345

B0.endif.endif.endif.i345:                        ; preds = %B108.endif.i
  br i1 %.164.i346, label %B108.endif.endif.i, label %B0.endif.endif.endif.else.i, !prof !22

B0.endif.endif.endif.else.i:                      ; preds = %B0.endif.endif.endif.i345
  store double 1.000000e+00, ptr %.179.i, align 8, !noalias !38
  store double 0.000000e+00, ptr %.182.i, align 8, !noalias !38
  %.190.i = call i32 @numba_xxgemv(i8 100, i8 116, i64 %arg.A.5.1, i64 %arg.A.5.0, ptr nonnull %.179.i, ptr %arg.A.4, i64 %arg.A.5.1, ptr %x.2.sroa.36.0205, ptr nonnull %.182.i, ptr %data.i.i331), !noalias !38
  %.191.not.i = icmp eq i32 %.190.i, 0
  br i1 %.191.not.i, label %B108.endif.endif.i, label %B0.endif.endif.endif.else.if.i, !prof !42

B0.endif.endif.endif.else.if.i:                   ; preds = %B0.endif.endif.endif.else.i
  call void @numba_gil_ensure(ptr nonnull %.193.i), !noalias !38
  call void @Py_FatalError(ptr nonnull @".const.BLAS wrapper returned with an error"), !noalias !38
  unreachable

B108.endif.endif.i:                               ; preds = %B0.endif.endif.endif.i345, %B0.endif.endif.endif.else.i
  call void @llvm.lifetime.end.p0(ptr nonnull %.179.i)
  call void @llvm.lifetime.end.p0(ptr nonnull %.182.i)
  call void @llvm.lifetime.end.p0(ptr nonnull %.193.i)
  call void @NRT_decref(ptr %x.2.sroa.0.0209), !noalias !38
  call void @NRT_decref(ptr %arg.A.0), !noalias !38
  call void @NRT_decref(ptr nonnull %.7.i24.i), !noalias !4
  call void @NRT_decref(ptr %x.2.sroa.0.0209), !noalias !4
  br label %B36.endif

B108.endif.if.if.i:                               ; preds = %B108.endif.i
  %.90.not.i.lcssa = phi i1 [ %.90.not.i, %B108.endif.i ]
  %.const.picklebuf.44f6364fa9e4011a419f8311db87de2f2798ed39.mux = select i1 %.90.not.i.lcssa, ptr @.const.picklebuf.44f6364fa9e4011a419f8311db87de2f2798ed39, ptr @.const.picklebuf.76d489337b4612e73980471442c2c2548eba518d
  call void @llvm.lifetime.end.p0(ptr nonnull %.179.i)
  call void @llvm.lifetime.end.p0(ptr nonnull %.182.i)
  call void @llvm.lifetime.end.p0(ptr nonnull %.193.i)
  br label %B36.if.if

common.ret:                                       ; preds = %B36.endif.endif.endif.endif.endif.if.if, %B36.endif.if.if, %B36.if.if, %B118
  %common.ret.op = phi i32 [ 0, %B118 ], [ 1, %B36.if.if ], [ 1, %B36.endif.if.if ], [ 1, %B36.endif.endif.endif.endif.endif.if.if ]
  ret i32 %common.ret.op

B118:                                             ; preds = %for.end
  %data.i.lcssa = phi ptr [ %data.i, %for.end ]
  %.7.i306.lcssa831 = phi ptr [ %.7.i306, %for.end ]
  call void @NRT_decref(ptr %arg.A.0)
  %.462 = load double, ptr %data.i.lcssa, align 8
  call void @NRT_decref(ptr nonnull %.7.i306.lcssa831)
  store double %.462, ptr %retptr, align 8
  br label %common.ret

B36.endif:                                        ; preds = %B108.endif.endif.i, %B54.endif.i
  %arg.A.0.sink = phi ptr [ %arg.A.0, %B108.endif.endif.i ], [ %.7.i310, %B54.endif.i ]
  %.7.i24.i.sink799 = phi ptr [ %.7.i24.i, %B108.endif.endif.i ], [ %.7.i310, %B54.endif.i ]
  %.34.i.sroa.15.1 = phi ptr [ %data.i.i331, %B108.endif.endif.i ], [ %data.i.i, %B54.endif.i ]
  call void @NRT_incref(ptr nonnull %.7.i24.i.sink799), !noalias !4
  call void @NRT_incref(ptr nonnull %.7.i24.i.sink799), !noalias !0
  %.7.i192.i = call ptr @NRT_MemInfo_alloc_aligned(i64 8, i32 32), !noalias !43
  %.8.i.i374 = icmp eq ptr %.7.i192.i, null
  call void @NRT_decref(ptr %arg.A.0.sink), !noalias !4
  call void @NRT_decref(ptr %x.2.sroa.0.0209), !noalias !0
  call void @NRT_decref(ptr %arg.A.0), !noalias !0
  br i1 %.8.i.i374, label %B36.endif.if.if.loopexit, label %B0.endif.endif.endif.i388, !prof !22

B210.i:                                           ; preds = %B0.endif.endif.endif.i388
  %.7.i24.i.sink799.lcssa828 = phi ptr [ %.7.i24.i.sink799, %B0.endif.endif.endif.i388 ]
  %.7.i192.i.lcssa825 = phi ptr [ %.7.i192.i, %B0.endif.endif.endif.i388 ]
  call void @NRT_decref(ptr nonnull %.7.i192.i.lcssa825), !noalias !59
  call void @NRT_decref(ptr nonnull %.7.i24.i.sink799.lcssa828), !noalias !59
  %.192.i = call i32 @numba_fatal_error(), !noalias !59
  br label %B36.endif.if.if

B0.endif.endif.endif.i388:                        ; preds = %B36.endif
  %slot.i.i.i = getelementptr inbounds nuw i8, ptr %.7.i192.i, i64 24
  %data.i.i.i = load ptr, ptr %slot.i.i.i, align 8, !noalias !60
  %.176.i = call i32 @numba_xxnrm2(i8 100, i64 %arg.A.5.0, ptr %.34.i.sroa.15.1, i64 1, ptr %data.i.i.i), !noalias !59
  %.180.i = icmp slt i32 %.176.i, 0
  br i1 %.180.i, label %B210.i, label %B242.endif.if.i

B242.endif.if.i:                                  ; preds = %B0.endif.endif.endif.i388
  call void @NRT_decref(ptr nonnull %.7.i24.i.sink799), !noalias !59
  %.236.i = call ptr @NRT_MemInfo_new_varsize_dtor(i64 40, ptr nonnull @.dtor.list.int64), !noalias !59
  %.237.i = icmp eq ptr %.236.i, null
  br i1 %.237.i, label %B36.endif.if.if.loopexit, label %B242.endif.endif.endif.i, !prof !22

B242.endif.endif.endif.i:                         ; preds = %B242.endif.if.i
  %slot.i188.i = getelementptr inbounds nuw i8, ptr %.236.i, i64 24
  %data.i189.i = load ptr, ptr %slot.i188.i, align 8, !noalias !59
  %.249.i = getelementptr inbounds nuw i8, ptr %data.i189.i, i64 8
  store i64 2, ptr %.249.i, align 8, !noalias !59
  %data.i187.i = load ptr, ptr %slot.i188.i, align 8, !noalias !59
  store i64 0, ptr %data.i187.i, align 8, !noalias !59
  %data.i185.i = load ptr, ptr %slot.i188.i, align 8, !noalias !59
  %.261.i = getelementptr inbounds nuw i8, ptr %data.i185.i, i64 16
  store i8 0, ptr %.261.i, align 1, !noalias !59
  %data.i181.i = load ptr, ptr %slot.i188.i, align 8, !noalias !59
  %.274.i = getelementptr inbounds nuw i8, ptr %data.i181.i, i64 24
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 1 dereferenceable(16) %.274.i, i8 0, i64 16, i1 false), !noalias !59
  %data.i177.i = load ptr, ptr %slot.i188.i, align 8, !noalias !59
  store i64 2, ptr %data.i177.i, align 8, !noalias !59
  %data.i173.i = load ptr, ptr %slot.i188.i, align 8, !noalias !59
  %.314.i = getelementptr inbounds nuw i8, ptr %data.i173.i, i64 24
  store i64 1, ptr %.314.i, align 8, !noalias !59
  %data.i.i390 = load ptr, ptr %slot.i188.i, align 8, !noalias !59
  %.329.i = getelementptr i8, ptr %data.i.i390, i64 32
  store i64 %arg.A.5.0, ptr %.329.i, align 8, !noalias !59
  call void @NRT_incref(ptr nonnull %.236.i), !noalias !61
  %data.i4.i = load ptr, ptr %slot.i188.i, align 8, !noalias !61
  %.26.i401 = load i64, ptr %data.i4.i, align 8, !noalias !61
  %.27.i = icmp slt i64 %.26.i401, 1
  br i1 %.27.i, label %B36.endif.if.if.loopexit, label %B36.endif.endif.endif.endif.endif, !prof !22

B36.if.if.loopexit.split.loop.exit:               ; preds = %B108.i
  %.const.picklebuf.331b8563bdb9dac81b38422273052c486fc1706b.21.mux.le = select i1 %.18.i319, ptr @.const.picklebuf.331b8563bdb9dac81b38422273052c486fc1706b.21, ptr @.const.picklebuf.58e14eccb507b1e0206981740223e685cb8c3c57.22, !prof !22
  br label %B36.if.if

B36.if.if.loopexit.split.loop.exit793:            ; preds = %B54.i
  %.const.picklebuf.331b8563bdb9dac81b38422273052c486fc1706b.mux.le = select i1 %.18.i319, ptr @.const.picklebuf.331b8563bdb9dac81b38422273052c486fc1706b, ptr @.const.picklebuf.58e14eccb507b1e0206981740223e685cb8c3c57.9, !prof !22
  br label %B36.if.if

B36.if.if.loopexit:                               ; preds = %B0.endif.endif.endif.i322, %B0.endif.endif.endif.i
  br label %B36.if.if

B36.if.if:                                        ; preds = %B36.if.if.loopexit, %B36.if.if.loopexit.split.loop.exit, %B36.if.if.loopexit.split.loop.exit793, %B108.endif.if.if.i
  %excinfo.1.i.0.ph = phi ptr [ %.const.picklebuf.44f6364fa9e4011a419f8311db87de2f2798ed39.mux, %B108.endif.if.if.i ], [ %.const.picklebuf.331b8563bdb9dac81b38422273052c486fc1706b.21.mux.le, %B36.if.if.loopexit.split.loop.exit ], [ %.const.picklebuf.331b8563bdb9dac81b38422273052c486fc1706b.mux.le, %B36.if.if.loopexit.split.loop.exit793 ], [ @.const.picklebuf.ba289d81f05c7020f3477c15734804df65abe209, %B36.if.if.loopexit ]
  store ptr %excinfo.1.i.0.ph, ptr %excinfo, align 8
  br label %common.ret

B36.endif.if.if.loopexit:                         ; preds = %B242.endif.if.i, %B36.endif, %B242.endif.endif.endif.i
  %excinfo.1.i361.0.ph.ph = phi ptr [ @.const.picklebuf.5753419f7c3c9d9e41a51c7a572cce1624a39a7f, %B242.endif.endif.endif.i ], [ @.const.picklebuf.ba289d81f05c7020f3477c15734804df65abe209, %B36.endif ], [ @.const.picklebuf.2b98f4136688ddd3c02912370686f1a00131280c, %B242.endif.if.i ]
  br label %B36.endif.if.if

B36.endif.if.if:                                  ; preds = %B36.endif.if.if.loopexit, %B210.i
  %excinfo.1.i361.0.ph = phi ptr [ @.const.picklebuf.90cd580a765d038d80e59343b6db326fb4127642, %B210.i ], [ %excinfo.1.i361.0.ph.ph, %B36.endif.if.if.loopexit ]
  store ptr %excinfo.1.i361.0.ph, ptr %excinfo, align 8
  br label %common.ret

B36.endif.endif.endif.endif.endif:                ; preds = %B242.endif.endif.endif.i
  call void @NRT_decref(ptr nonnull %.236.i), !noalias !61
  call void @NRT_decref(ptr nonnull %.236.i), !noalias !59
  %.386.i = load double, ptr %data.i.i.i, align 8, !noalias !59
  call void @NRT_decref(ptr nonnull %.7.i192.i), !noalias !59
  call void @NRT_decref(ptr nonnull %.7.i24.i.sink799), !noalias !65
  %.7.i306 = call ptr @NRT_MemInfo_alloc_aligned(i64 %.33.i323, i32 32), !noalias !66
  %.8.i307 = icmp eq ptr %.7.i306, null
  br i1 %.8.i307, label %B36.endif.endif.endif.endif.endif.if.if, label %B36.endif.endif.endif.endif.endif.endif, !prof !22

B36.endif.endif.endif.endif.endif.endif:          ; preds = %B36.endif.endif.endif.endif.endif
  %slot.i = getelementptr inbounds nuw i8, ptr %.7.i306, i64 24
  %data.i = load ptr, ptr %slot.i, align 8
  br i1 %.164.i346, label %for.end, label %for.body.endif.endif.preheader

for.body.endif.endif.preheader:                   ; preds = %B36.endif.endif.endif.endif.endif.endif
  br label %for.body.endif.endif

B36.endif.endif.endif.endif.endif.if.if:          ; preds = %B36.endif.endif.endif.endif.endif
  store ptr @.const.picklebuf.ba289d81f05c7020f3477c15734804df65abe209, ptr %excinfo, align 8
  br label %common.ret

for.end.loopexit:                                 ; preds = %for.body.endif.endif
  br label %for.end

for.end:                                          ; preds = %for.end.loopexit, %B36.endif.endif.endif.endif.endif.endif
  %.129 = icmp samesign ugt i64 %.128186202, 1
  call void @NRT_decref(ptr nonnull %.7.i24.i.sink799)
  call void @NRT_decref(ptr %x.2.sroa.0.0209)
  br i1 %.129, label %B36, label %B118

for.body.endif.endif:                             ; preds = %for.body.endif.endif.preheader, %for.body.endif.endif
  %loop.index185 = phi i64 [ %.405, %for.body.endif.endif ], [ 0, %for.body.endif.endif.preheader ]
  %.362.0184 = phi i64 [ %spec.select, %for.body.endif.endif ], [ 0, %for.body.endif.endif.preheader ]
  %spec.select = select i1 %.368, i64 %loop.index185, i64 %.362.0184
  %.375 = getelementptr double, ptr %.34.i.sroa.15.1, i64 %spec.select
  %.376 = load double, ptr %.375, align 8
  %.9.i = fdiv double %.376, %.386.i
  %.403 = getelementptr double, ptr %data.i, i64 %loop.index185
  store double %.9.i, ptr %.403, align 8
  %.405 = add nuw nsw i64 %loop.index185, 1
  %exitcond.not = icmp eq i64 %.405, %arg.A.5.0
  br i1 %exitcond.not, label %for.end.loopexit, label %for.body.endif.endif
}

declare noalias ptr @NRT_MemInfo_alloc_aligned(i64, i32) local_unnamed_addr

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: write)
declare void @llvm.memset.p0.i64(ptr writeonly captures(none), i8, i64, i1 immarg) #2

declare i32 @numba_xxgemv(i8, i8, i64, i64, ptr, ptr, i64, ptr, ptr, ptr) local_unnamed_addr

declare void @numba_gil_ensure(ptr) local_unnamed_addr

; Function Attrs: noreturn
declare void @Py_FatalError(ptr) local_unnamed_addr #3

declare i32 @numba_fatal_error() local_unnamed_addr

declare i32 @numba_xxnrm2(i8, i64, ptr, i64, ptr) local_unnamed_addr

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(none)
define internal void @.dtor.list.int64(ptr readnone captures(none) %.1) #4 {
.3:
  ret void
}

declare ptr @NRT_MemInfo_new_varsize_dtor(i64, ptr) local_unnamed_addr

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.start.p0(ptr captures(none)) #5

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.end.p0(ptr captures(none)) #5

attributes #0 = { nofree noinline norecurse nounwind willreturn memory(argmem: readwrite) }
attributes #1 = { noinline nounwind }
attributes #2 = { nocallback nofree nounwind willreturn memory(argmem: write) }
attributes #3 = { noreturn }
attributes #4 = { mustprogress nofree norecurse nosync nounwind willreturn memory(none) }
attributes #5 = { nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }

!0 = !{!1, !3}
!1 = distinct !{!1, !2, !"_ZN5numba2np6linalg10dot_2_impl12_3clocals_3e12_3clambda_3eB3v31B42c8tJTIeFIjxB2IKSgI4CrvQClcaMQ5hEEUSJJgA_3dE5ArrayIdLi2E1C7mutable7alignedE5ArrayIdLi1E1C7mutable7alignedE: %retptr"}
!2 = distinct !{!2, !"_ZN5numba2np6linalg10dot_2_impl12_3clocals_3e12_3clambda_3eB3v31B42c8tJTIeFIjxB2IKSgI4CrvQClcaMQ5hEEUSJJgA_3dE5ArrayIdLi2E1C7mutable7alignedE5ArrayIdLi1E1C7mutable7alignedE"}
!3 = distinct !{!3, !2, !"_ZN5numba2np6linalg10dot_2_impl12_3clocals_3e12_3clambda_3eB3v31B42c8tJTIeFIjxB2IKSgI4CrvQClcaMQ5hEEUSJJgA_3dE5ArrayIdLi2E1C7mutable7alignedE5ArrayIdLi1E1C7mutable7alignedE: %excinfo"}
!4 = !{!5, !7, !1, !3}
!5 = distinct !{!5, !6, !"_ZN5numba2np6linalg8dot_2_mv12_3clocals_3e8dot_implB3v32B42c8tJTC_2fWQA93W1AaAIYBPIqRBFCjDSZRVAJmaQIAE5ArrayIdLi2E1C7mutable7alignedE5ArrayIdLi1E1C7mutable7alignedE: %retptr"}
!6 = distinct !{!6, !"_ZN5numba2np6linalg8dot_2_mv12_3clocals_3e8dot_implB3v32B42c8tJTC_2fWQA93W1AaAIYBPIqRBFCjDSZRVAJmaQIAE5ArrayIdLi2E1C7mutable7alignedE5ArrayIdLi1E1C7mutable7alignedE"}
!7 = distinct !{!7, !6, !"_ZN5numba2np6linalg8dot_2_mv12_3clocals_3e8dot_implB3v32B42c8tJTC_2fWQA93W1AaAIYBPIqRBFCjDSZRVAJmaQIAE5ArrayIdLi2E1C7mutable7alignedE5ArrayIdLi1E1C7mutable7alignedE: %excinfo"}
!8 = !{!"branch_weights", i32 9801, i32 199}
!9 = !{!10, !12, !13, !15, !16, !18, !19, !21, !5, !7, !1, !3}
!10 = distinct !{!10, !11, !"_ZN5numba2np8arrayobj18_ol_array_allocate12_3clocals_3e4implB3v10B42c8tJTIeFIjxB2IKSgI4CrvQClcaMQ5hEEUSJJgA_3dEN29typeref_5b_3cclass_20_27numba4core5types8npytypes14Array_27_3e_5dExj: %retptr"}
!11 = distinct !{!11, !"_ZN5numba2np8arrayobj18_ol_array_allocate12_3clocals_3e4implB3v10B42c8tJTIeFIjxB2IKSgI4CrvQClcaMQ5hEEUSJJgA_3dEN29typeref_5b_3cclass_20_27numba4core5types8npytypes14Array_27_3e_5dExj"}
!12 = distinct !{!12, !11, !"_ZN5numba2np8arrayobj18_ol_array_allocate12_3clocals_3e4implB3v10B42c8tJTIeFIjxB2IKSgI4CrvQClcaMQ5hEEUSJJgA_3dEN29typeref_5b_3cclass_20_27numba4core5types8npytypes14Array_27_3e_5dExj: %excinfo"}
!13 = distinct !{!13, !14, !"_ZN5numba2np8arrayobj15_call_allocatorB2v9B42c8tJTC_2fWQA93W1AaAIYBPIqRBFCjDSZRVAJmaQIAEN29typeref_5b_3cclass_20_27numba4core5types8npytypes14Array_27_3e_5dExj: %retptr"}
!14 = distinct !{!14, !"_ZN5numba2np8arrayobj15_call_allocatorB2v9B42c8tJTC_2fWQA93W1AaAIYBPIqRBFCjDSZRVAJmaQIAEN29typeref_5b_3cclass_20_27numba4core5types8npytypes14Array_27_3e_5dExj"}
!15 = distinct !{!15, !14, !"_ZN5numba2np8arrayobj15_call_allocatorB2v9B42c8tJTC_2fWQA93W1AaAIYBPIqRBFCjDSZRVAJmaQIAEN29typeref_5b_3cclass_20_27numba4core5types8npytypes14Array_27_3e_5dExj: %excinfo"}
!16 = distinct !{!16, !17, !"_ZN5numba2np8arrayobj11ol_np_empty12_3clocals_3e4implB3v34B42c8tJTIeFIjxB2IKSgI4CrvQClcaMQ5hEEUSJJgA_3dE8UniTupleIxLi1EE18dtype_28float64_29: %retptr"}
!17 = distinct !{!17, !"_ZN5numba2np8arrayobj11ol_np_empty12_3clocals_3e4implB3v34B42c8tJTIeFIjxB2IKSgI4CrvQClcaMQ5hEEUSJJgA_3dE8UniTupleIxLi1EE18dtype_28float64_29"}
!18 = distinct !{!18, !17, !"_ZN5numba2np8arrayobj11ol_np_empty12_3clocals_3e4implB3v34B42c8tJTIeFIjxB2IKSgI4CrvQClcaMQ5hEEUSJJgA_3dE8UniTupleIxLi1EE18dtype_28float64_29: %excinfo"}
!19 = distinct !{!19, !20, !"_ZN5numba2np8arrayobj11ol_np_zeros12_3clocals_3e4implB3v33B42c8tJTIeFIjxB2IKSgI4CrvQClcaMQ5hEEUSJJgA_3dE8UniTupleIxLi1EE18dtype_28float64_29: %retptr"}
!20 = distinct !{!20, !"_ZN5numba2np8arrayobj11ol_np_zeros12_3clocals_3e4implB3v33B42c8tJTIeFIjxB2IKSgI4CrvQClcaMQ5hEEUSJJgA_3dE8UniTupleIxLi1EE18dtype_28float64_29"}
!21 = distinct !{!21, !20, !"_ZN5numba2np8arrayobj11ol_np_zeros12_3clocals_3e4implB3v33B42c8tJTIeFIjxB2IKSgI4CrvQClcaMQ5hEEUSJJgA_3dE8UniTupleIxLi1EE18dtype_28float64_29: %excinfo"}
!22 = !{!"branch_weights", i32 1, i32 99}
!23 = !{!24, !26, !27, !29, !30, !32, !5, !7, !1, !3}
!24 = distinct !{!24, !25, !"_ZN5numba2np8arrayobj18_ol_array_allocate12_3clocals_3e4implB3v10B42c8tJTIeFIjxB2IKSgI4CrvQClcaMQ5hEEUSJJgA_3dEN29typeref_5b_3cclass_20_27numba4core5types8npytypes14Array_27_3e_5dExj: %retptr"}
!25 = distinct !{!25, !"_ZN5numba2np8arrayobj18_ol_array_allocate12_3clocals_3e4implB3v10B42c8tJTIeFIjxB2IKSgI4CrvQClcaMQ5hEEUSJJgA_3dEN29typeref_5b_3cclass_20_27numba4core5types8npytypes14Array_27_3e_5dExj"}
!26 = distinct !{!26, !25, !"_ZN5numba2np8arrayobj18_ol_array_allocate12_3clocals_3e4implB3v10B42c8tJTIeFIjxB2IKSgI4CrvQClcaMQ5hEEUSJJgA_3dEN29typeref_5b_3cclass_20_27numba4core5types8npytypes14Array_27_3e_5dExj: %excinfo"}
!27 = distinct !{!27, !28, !"_ZN5numba2np8arrayobj15_call_allocatorB2v9B42c8tJTC_2fWQA93W1AaAIYBPIqRBFCjDSZRVAJmaQIAEN29typeref_5b_3cclass_20_27numba4core5types8npytypes14Array_27_3e_5dExj: %retptr"}
!28 = distinct !{!28, !"_ZN5numba2np8arrayobj15_call_allocatorB2v9B42c8tJTC_2fWQA93W1AaAIYBPIqRBFCjDSZRVAJmaQIAEN29typeref_5b_3cclass_20_27numba4core5types8npytypes14Array_27_3e_5dExj"}
!29 = distinct !{!29, !28, !"_ZN5numba2np8arrayobj15_call_allocatorB2v9B42c8tJTC_2fWQA93W1AaAIYBPIqRBFCjDSZRVAJmaQIAEN29typeref_5b_3cclass_20_27numba4core5types8npytypes14Array_27_3e_5dExj: %excinfo"}
!30 = distinct !{!30, !31, !"_ZN5numba2np8arrayobj11ol_np_empty12_3clocals_3e4implB3v35B42c8tJTIeFIjxB2IKSgI4CrvQClcaMQ5hEEUSJJgA_3dE8UniTupleIxLi1EE18dtype_28float64_29: %retptr"}
!31 = distinct !{!31, !"_ZN5numba2np8arrayobj11ol_np_empty12_3clocals_3e4implB3v35B42c8tJTIeFIjxB2IKSgI4CrvQClcaMQ5hEEUSJJgA_3dE8UniTupleIxLi1EE18dtype_28float64_29"}
!32 = distinct !{!32, !31, !"_ZN5numba2np8arrayobj11ol_np_empty12_3clocals_3e4implB3v35B42c8tJTIeFIjxB2IKSgI4CrvQClcaMQ5hEEUSJJgA_3dE8UniTupleIxLi1EE18dtype_28float64_29: %excinfo"}
!33 = !{!16, !18, !19, !21, !5, !7, !1, !3}
!34 = !{!35, !19, !21, !5, !7, !1, !3}
!35 = distinct !{!35, !36, !"_ZN5numba2np8arrayobj18ol_array_zero_fill12_3clocals_3e4implB3v11B42c8tJTIeFIjxB2IKSgI4CrvQClcaMQ5hEEUSJJgA_3dE5ArrayIdLi1E1C7mutable7alignedE: %retptr"}
!36 = distinct !{!36, !"_ZN5numba2np8arrayobj18ol_array_zero_fill12_3clocals_3e4implB3v11B42c8tJTIeFIjxB2IKSgI4CrvQClcaMQ5hEEUSJJgA_3dE5ArrayIdLi1E1C7mutable7alignedE"}
!37 = !{!30, !32, !5, !7, !1, !3}
!38 = !{!39, !41, !5, !7, !1, !3}
!39 = distinct !{!39, !40, !"_ZN5numba2np6linalg5dot_312_3clocals_3e12_3clambda_3eB3v36B42c8tJTIeFIjxB2IKSgI4CrvQClcaMQ5hEEUSJJgA_3dE5ArrayIdLi2E1C7mutable7alignedE5ArrayIdLi1E1C7mutable7alignedE5ArrayIdLi1E1C7mutable7alignedE: %retptr"}
!40 = distinct !{!40, !"_ZN5numba2np6linalg5dot_312_3clocals_3e12_3clambda_3eB3v36B42c8tJTIeFIjxB2IKSgI4CrvQClcaMQ5hEEUSJJgA_3dE5ArrayIdLi2E1C7mutable7alignedE5ArrayIdLi1E1C7mutable7alignedE5ArrayIdLi1E1C7mutable7alignedE"}
!41 = distinct !{!41, !40, !"_ZN5numba2np6linalg5dot_312_3clocals_3e12_3clambda_3eB3v36B42c8tJTIeFIjxB2IKSgI4CrvQClcaMQ5hEEUSJJgA_3dE5ArrayIdLi2E1C7mutable7alignedE5ArrayIdLi1E1C7mutable7alignedE5ArrayIdLi1E1C7mutable7alignedE: %excinfo"}
!42 = !{!"branch_weights", i32 99, i32 1}
!43 = !{!44, !46, !47, !49, !50, !52, !53, !55, !56, !58}
!44 = distinct !{!44, !45, !"_ZN5numba2np8arrayobj18_ol_array_allocate12_3clocals_3e4implB3v10B42c8tJTIeFIjxB2IKSgI4CrvQClcaMQ5hEEUSJJgA_3dEN29typeref_5b_3cclass_20_27numba4core5types8npytypes14Array_27_3e_5dExj: %retptr"}
!45 = distinct !{!45, !"_ZN5numba2np8arrayobj18_ol_array_allocate12_3clocals_3e4implB3v10B42c8tJTIeFIjxB2IKSgI4CrvQClcaMQ5hEEUSJJgA_3dEN29typeref_5b_3cclass_20_27numba4core5types8npytypes14Array_27_3e_5dExj"}
!46 = distinct !{!46, !45, !"_ZN5numba2np8arrayobj18_ol_array_allocate12_3clocals_3e4implB3v10B42c8tJTIeFIjxB2IKSgI4CrvQClcaMQ5hEEUSJJgA_3dEN29typeref_5b_3cclass_20_27numba4core5types8npytypes14Array_27_3e_5dExj: %excinfo"}
!47 = distinct !{!47, !48, !"_ZN5numba2np8arrayobj15_call_allocatorB2v9B42c8tJTC_2fWQA93W1AaAIYBPIqRBFCjDSZRVAJmaQIAEN29typeref_5b_3cclass_20_27numba4core5types8npytypes14Array_27_3e_5dExj: %retptr"}
!48 = distinct !{!48, !"_ZN5numba2np8arrayobj15_call_allocatorB2v9B42c8tJTC_2fWQA93W1AaAIYBPIqRBFCjDSZRVAJmaQIAEN29typeref_5b_3cclass_20_27numba4core5types8npytypes14Array_27_3e_5dExj"}
!49 = distinct !{!49, !48, !"_ZN5numba2np8arrayobj15_call_allocatorB2v9B42c8tJTC_2fWQA93W1AaAIYBPIqRBFCjDSZRVAJmaQIAEN29typeref_5b_3cclass_20_27numba4core5types8npytypes14Array_27_3e_5dExj: %excinfo"}
!50 = distinct !{!50, !51, !"_ZN5numba2np8arrayobj11ol_np_empty12_3clocals_3e4implB3v34B42c8tJTIeFIjxB2IKSgI4CrvQClcaMQ5hEEUSJJgA_3dE8UniTupleIxLi1EE18dtype_28float64_29: %retptr"}
!51 = distinct !{!51, !"_ZN5numba2np8arrayobj11ol_np_empty12_3clocals_3e4implB3v34B42c8tJTIeFIjxB2IKSgI4CrvQClcaMQ5hEEUSJJgA_3dE8UniTupleIxLi1EE18dtype_28float64_29"}
!52 = distinct !{!52, !51, !"_ZN5numba2np8arrayobj11ol_np_empty12_3clocals_3e4implB3v34B42c8tJTIeFIjxB2IKSgI4CrvQClcaMQ5hEEUSJJgA_3dE8UniTupleIxLi1EE18dtype_28float64_29: %excinfo"}
!53 = distinct !{!53, !54, !"_ZN5numba2np6linalg17_oneD_norm_2_impl12_3clocals_3e4implB3v40B42c8tJTIeFIjxB2IKSgI4CrvQClcaMQ5hEEUSJJgA_3dE5ArrayIdLi1E1C7mutable7alignedE: %retptr"}
!54 = distinct !{!54, !"_ZN5numba2np6linalg17_oneD_norm_2_impl12_3clocals_3e4implB3v40B42c8tJTIeFIjxB2IKSgI4CrvQClcaMQ5hEEUSJJgA_3dE5ArrayIdLi1E1C7mutable7alignedE"}
!55 = distinct !{!55, !54, !"_ZN5numba2np6linalg17_oneD_norm_2_impl12_3clocals_3e4implB3v40B42c8tJTIeFIjxB2IKSgI4CrvQClcaMQ5hEEUSJJgA_3dE5ArrayIdLi1E1C7mutable7alignedE: %excinfo"}
!56 = distinct !{!56, !57, !"_ZN5numba2np6linalg14_get_norm_impl12_3clocals_3e9oneD_implB3v39B42c8tJTIeFIjxB2IKSgI4CrvQClcaMQ5hEEUSJJgA_3dE5ArrayIdLi1E1C7mutable7alignedE27omitted_28default_3dNone_29: %retptr"}
!57 = distinct !{!57, !"_ZN5numba2np6linalg14_get_norm_impl12_3clocals_3e9oneD_implB3v39B42c8tJTIeFIjxB2IKSgI4CrvQClcaMQ5hEEUSJJgA_3dE5ArrayIdLi1E1C7mutable7alignedE27omitted_28default_3dNone_29"}
!58 = distinct !{!58, !57, !"_ZN5numba2np6linalg14_get_norm_impl12_3clocals_3e9oneD_implB3v39B42c8tJTIeFIjxB2IKSgI4CrvQClcaMQ5hEEUSJJgA_3dE5ArrayIdLi1E1C7mutable7alignedE27omitted_28default_3dNone_29: %excinfo"}
!59 = !{!53, !55, !56, !58}
!60 = !{!50, !52, !53, !55, !56, !58}
!61 = !{!62, !64, !53, !55, !56, !58}
!62 = distinct !{!62, !63, !"_ZN5numba2np6linalg20_dummy_liveness_funcB3v42B42c8tJTIeFIjxB2IKSgI4CrvQClcaMQ5hEEUSJJgA_3dE30list_28int64_29_3civ_3dNone_3e: %retptr"}
!63 = distinct !{!63, !"_ZN5numba2np6linalg20_dummy_liveness_funcB3v42B42c8tJTIeFIjxB2IKSgI4CrvQClcaMQ5hEEUSJJgA_3dE30list_28int64_29_3civ_3dNone_3e"}
!64 = distinct !{!64, !63, !"_ZN5numba2np6linalg20_dummy_liveness_funcB3v42B42c8tJTIeFIjxB2IKSgI4CrvQClcaMQ5hEEUSJJgA_3dE30list_28int64_29_3civ_3dNone_3e: %excinfo"}
!65 = !{!56, !58}
!66 = !{!67, !69, !70, !72}
!67 = distinct !{!67, !68, !"_ZN5numba2np8arrayobj18_ol_array_allocate12_3clocals_3e4implB3v10B42c8tJTIeFIjxB2IKSgI4CrvQClcaMQ5hEEUSJJgA_3dEN29typeref_5b_3cclass_20_27numba4core5types8npytypes14Array_27_3e_5dExj: %retptr"}
!68 = distinct !{!68, !"_ZN5numba2np8arrayobj18_ol_array_allocate12_3clocals_3e4implB3v10B42c8tJTIeFIjxB2IKSgI4CrvQClcaMQ5hEEUSJJgA_3dEN29typeref_5b_3cclass_20_27numba4core5types8npytypes14Array_27_3e_5dExj"}
!69 = distinct !{!69, !68, !"_ZN5numba2np8arrayobj18_ol_array_allocate12_3clocals_3e4implB3v10B42c8tJTIeFIjxB2IKSgI4CrvQClcaMQ5hEEUSJJgA_3dEN29typeref_5b_3cclass_20_27numba4core5types8npytypes14Array_27_3e_5dExj: %excinfo"}
!70 = distinct !{!70, !71, !"_ZN5numba2np8arrayobj15_call_allocatorB2v9B42c8tJTC_2fWQA93W1AaAIYBPIqRBFCjDSZRVAJmaQIAEN29typeref_5b_3cclass_20_27numba4core5types8npytypes14Array_27_3e_5dExj: %retptr"}
!71 = distinct !{!71, !"_ZN5numba2np8arrayobj15_call_allocatorB2v9B42c8tJTC_2fWQA93W1AaAIYBPIqRBFCjDSZRVAJmaQIAEN29typeref_5b_3cclass_20_27numba4core5types8npytypes14Array_27_3e_5dExj"}
!72 = distinct !{!72, !71, !"_ZN5numba2np8arrayobj15_call_allocatorB2v9B42c8tJTC_2fWQA93W1AaAIYBPIqRBFCjDSZRVAJmaQIAEN29typeref_5b_3cclass_20_27numba4core5types8npytypes14Array_27_3e_5dExj: %excinfo"}
