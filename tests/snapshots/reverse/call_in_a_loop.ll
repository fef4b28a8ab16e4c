
declare double @llvm.sin.f64(double)

define internal double @g(double %x) {
entry:
  %s = call double @llvm.sin.f64(double %x)
  %r = fmul double %s, %x
  ret double %r
}

define double @f(double %x, i64 %n) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s = phi double [ %x, %entry ], [ %s.next, %loop ]
  %s.next = call double @g(double %s)
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop

end:
  %r = phi double [ %s.next, %loop ]
  ret double %r
}

define { double } @grad.f(double %x, i64 %n, double %seed) nounwind "reciprocal-estimates"="none" {
entry:
  %arena = alloca { ptr, ptr, i64, i64, i64, i64, i64 }
  store { ptr, ptr, i64, i64, i64, i64, i64 } zeroinitializer, ptr %arena
  %s.next.tape.base = alloca ptr
  %s.base = alloca ptr
  %0 = sub i64 %n, 1
  %extent = add i64 %0, 1
  %extent.1 = call i64 @llvm.smax.i64(i64 %extent, i64 1)
  %1 = mul i64 %extent.1, 16
  %cache = call ptr @enzyme_allocate(ptr %arena, i64 %1)
  %2 = icmp eq ptr %cache, null
  %3 = getelementptr i8, ptr %cache, i64 0
  store ptr %3, ptr %s.next.tape.base
  %4 = mul i64 %extent.1, 8
  %5 = getelementptr i8, ptr %cache, i64 %4
  store ptr %5, ptr %s.base
  br i1 %2, label %no.memory, label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop.kept ]
  %s = phi double [ %x, %entry ], [ %s.next, %loop.kept ]
  %6 = load ptr, ptr %s.base
  %7 = getelementptr double, ptr %6, i64 %i
  store double %s, ptr %7, !alias.scope !4, !noalias !5
  %s.next.aug = call { double, ptr } @aug..g(double %s, ptr %arena)
  %s.next = extractvalue { double, ptr } %s.next.aug, 0
  %s.next.tape = extractvalue { double, ptr } %s.next.aug, 1
  %8 = icmp eq ptr %s.next.tape, null
  br i1 %8, label %no.memory, label %loop.kept

loop.kept:
  %9 = load ptr, ptr %s.next.tape.base
  %10 = getelementptr ptr, ptr %9, i64 %i
  store ptr %s.next.tape, ptr %10, !alias.scope !4, !noalias !5
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop

end:
  %r = phi double [ %s.next, %loop.kept ]
  br label %rev.end

no.memory:
  call void @enzyme_release(ptr %arena, i1 true)
  call void @abort()
  unreachable

rev.end:
  br label %rev.end.loop

rev.end.loop:
  %11 = sub i64 %n, 1
  br label %rev.loop

rev.loop:
  %s.next.d = phi double [ %seed, %rev.end.loop ], [ %17, %rev.loop.loop ]
  %i.r = phi i64 [ %11, %rev.end.loop ], [ %19, %rev.loop.loop ]
  %12 = load ptr, ptr %s.base
  %13 = getelementptr double, ptr %12, i64 %i.r
  %s.l = load double, ptr %13, !alias.scope !4, !noalias !5
  %14 = load ptr, ptr %s.next.tape.base
  %15 = getelementptr ptr, ptr %14, i64 %i.r
  %s.next.tape.l = load ptr, ptr %15, !alias.scope !4, !noalias !5
  %16 = call { double } @rev..g(double %s.l, double %s.next.d, ptr %arena, ptr %s.next.tape.l)
  %17 = extractvalue { double } %16, 0
  %18 = icmp eq i64 %i.r, 0
  br i1 %18, label %rev.loop.entry, label %rev.loop.loop

rev.loop.loop:
  %19 = sub i64 %i.r, 1
  br label %rev.loop

rev.loop.entry:
  br label %rev.entry

rev.entry:
  br label %rev.finish

rev.finish:
  call void @enzyme_release(ptr %arena, i1 false)
  %20 = insertvalue { double } undef, double %17, 0
  ret { double } %20
}

define internal { double, ptr } @aug..g(double %x, ptr %arena) nounwind "reciprocal-estimates"="none" {
entry:
  %s.c = alloca double
  %s = call double @llvm.sin.f64(double %x)
  store double %s, ptr %s.c
  %r = fmul double %s, %x
  %tape = call ptr @enzyme_allocate(ptr %arena, i64 8)
  %0 = icmp eq ptr %tape, null
  br i1 %0, label %no.memory, label %entry.kept

entry.kept:
  %1 = getelementptr { double }, ptr %tape, i32 0, i32 0
  %2 = load double, ptr %s.c
  store double %2, ptr %1
  %3 = insertvalue { double, ptr } undef, double %r, 0
  %4 = insertvalue { double, ptr } %3, ptr %tape, 1
  ret { double, ptr } %4

no.memory:
  %5 = insertvalue { double, ptr } undef, double 0.000000e+00, 0
  %6 = insertvalue { double, ptr } %5, ptr null, 1
  ret { double, ptr } %6
}

define internal { double } @rev..g(double %x, double %seed, ptr %arena, ptr %tape) nounwind "reciprocal-estimates"="none" {
rev.entry:
  %s.c = alloca double
  %0 = getelementptr { double }, ptr %tape, i32 0, i32 0
  %1 = load double, ptr %0
  store double %1, ptr %s.c
  br label %rev.entry.1

rev.entry.1:
  %2 = fmul nsz arcp contract double %seed, %x
  %3 = fcmp oeq double %seed, 0x0000000000000000
  %4 = select i1 %3, double 0.000000e+00, double %2
  %s.l = load double, ptr %s.c
  %5 = fmul nsz arcp contract double %seed, %s.l
  %6 = fcmp oeq double %seed, 0x0000000000000000
  %7 = select i1 %6, double 0.000000e+00, double %5
  %8 = call nsz arcp contract double @llvm.cos.f64(double %x)
  %9 = fmul nsz arcp contract double %4, %8
  %10 = fcmp oeq double %4, 0x0000000000000000
  %11 = select i1 %10, double 0.000000e+00, double %9
  %12 = fadd reassoc nsz arcp contract double %7, %11
  br label %rev.finish

rev.finish:
  %13 = insertvalue { double } undef, double %12, 0
  ret { double } %13
}

declare double @llvm.cos.f64(double)

declare noalias ptr @enzyme_allocate(ptr, i64) nounwind

declare i64 @llvm.smax.i64(i64, i64)

declare void @enzyme_release(ptr, i1) nounwind

declare void @abort()


!14 = !{}
!0 = distinct !{!0, !"grad.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
!29 = !{}
!15 = distinct !{!15, !"work"}
!16 = distinct !{!16, !15, !"cache"}
!17 = distinct !{!17, !15, !"primal 0"}
!18 = distinct !{!18, !15, !"shadow 0 0"}
!4 = !{!1}
!5 = !{!2, !3}
