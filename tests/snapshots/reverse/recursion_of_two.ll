
define internal double @even(double %x, i64 %n) {
entry:
  %last = icmp slt i64 %n, 1
  br i1 %last, label %end, label %more

more:
  %less = sub i64 %n, 1
  %y = call double @odd(double %x, i64 %less)
  %m = fmul double %y, %x
  br label %end

end:
  %r = phi double [ 1.0, %entry ], [ %m, %more ]
  ret double %r
}

define internal double @odd(double %x, i64 %n) {
entry:
  %last = icmp slt i64 %n, 1
  br i1 %last, label %end, label %more

more:
  %less = sub i64 %n, 1
  %y = call double @even(double %x, i64 %less)
  %m = fadd double %y, %x
  br label %end

end:
  %r = phi double [ 2.0, %entry ], [ %m, %more ]
  ret double %r
}

define double @f(double %x, i64 %n) {
entry:
  %r = call double @even(double %x, i64 %n)
  ret double %r
}

define { double } @grad.f(double %x, i64 %n, double %seed) nounwind "reciprocal-estimates"="none" {
entry:
  %arena = alloca { ptr, ptr, i64, i64, i64, i64, i64 }
  store { ptr, ptr, i64, i64, i64, i64, i64 } zeroinitializer, ptr %arena
  %r.tape.c = alloca ptr
  %r.aug = call { double, ptr } @aug..even(double %x, i64 %n, ptr %arena)
  %r = extractvalue { double, ptr } %r.aug, 0
  %r.tape = extractvalue { double, ptr } %r.aug, 1
  %0 = icmp eq ptr %r.tape, null
  br i1 %0, label %no.memory, label %entry.kept

entry.kept:
  store ptr %r.tape, ptr %r.tape.c
  br label %rev.entry

rev.entry:
  %r.tape.l = load ptr, ptr %r.tape.c
  %1 = call { double } @rev..even(double %x, i64 %n, double %seed, ptr %arena, ptr %r.tape.l)
  %2 = extractvalue { double } %1, 0
  br label %rev.finish

rev.finish:
  call void @enzyme_release(ptr %arena, i1 false)
  %3 = insertvalue { double } undef, double %2, 0
  ret { double } %3

no.memory:
  call void @enzyme_release(ptr %arena, i1 true)
  call void @abort()
  unreachable
}

define internal { double, ptr } @aug..even(double %x, i64 %n, ptr %arena) nounwind "reciprocal-estimates"="none" {
entry:
  %y.tape.c = alloca ptr
  %y.c = alloca double
  %last = icmp slt i64 %n, 1
  br i1 %last, label %end, label %more

more:
  %less = sub i64 %n, 1
  %y.aug = call { double, ptr } @aug..odd(double %x, i64 %less, ptr %arena)
  %y = extractvalue { double, ptr } %y.aug, 0
  store double %y, ptr %y.c
  %y.tape = extractvalue { double, ptr } %y.aug, 1
  %0 = icmp eq ptr %y.tape, null
  br i1 %0, label %no.memory, label %more.kept

more.kept:
  store ptr %y.tape, ptr %y.tape.c
  %m = fmul double %y, %x
  br label %end

end:
  %r = phi double [ 1.0, %entry ], [ %m, %more.kept ]
  %tape = call ptr @enzyme_allocate(ptr %arena, i64 16)
  %1 = icmp eq ptr %tape, null
  br i1 %1, label %no.memory, label %end.kept

end.kept:
  %2 = getelementptr { ptr, double }, ptr %tape, i32 0, i32 0
  %3 = load ptr, ptr %y.tape.c
  store ptr %3, ptr %2
  %4 = getelementptr { ptr, double }, ptr %tape, i32 0, i32 1
  %5 = load double, ptr %y.c
  store double %5, ptr %4
  %6 = insertvalue { double, ptr } undef, double %r, 0
  %7 = insertvalue { double, ptr } %6, ptr %tape, 1
  ret { double, ptr } %7

no.memory:
  %8 = insertvalue { double, ptr } undef, double 0.000000e+00, 0
  %9 = insertvalue { double, ptr } %8, ptr null, 1
  ret { double, ptr } %9
}

define internal { double } @rev..even(double %x, i64 %n, double %seed, ptr %arena, ptr %tape) nounwind "reciprocal-estimates"="none" {
rev.entry:
  %y.tape.c = alloca ptr
  %y.c = alloca double
  %0 = getelementptr { ptr, double }, ptr %tape, i32 0, i32 0
  %1 = load ptr, ptr %0
  store ptr %1, ptr %y.tape.c
  %2 = getelementptr { ptr, double }, ptr %tape, i32 0, i32 1
  %3 = load double, ptr %2
  store double %3, ptr %y.c
  br label %rev.end

rev.end:
  %last.r = icmp slt i64 %n, 1
  br i1 %last.r, label %rev.entry.1, label %rev.end.more

rev.end.more:
  br label %rev.more

rev.more:
  %4 = fmul nsz arcp contract double %seed, %x
  %5 = fcmp oeq double %seed, 0x0000000000000000
  %6 = select i1 %5, double 0.000000e+00, double %4
  %y.l = load double, ptr %y.c
  %7 = fmul nsz arcp contract double %seed, %y.l
  %8 = fcmp oeq double %seed, 0x0000000000000000
  %9 = select i1 %8, double 0.000000e+00, double %7
  %less.r = sub i64 %n, 1
  %y.tape.l = load ptr, ptr %y.tape.c
  %10 = call { double } @rev..odd(double %x, i64 %less.r, double %6, ptr %arena, ptr %y.tape.l)
  %11 = extractvalue { double } %10, 0
  %12 = fadd reassoc nsz arcp contract double %9, %11
  br label %rev.entry.1

rev.entry.1:
  %x.d = phi double [ 0.000000e+00, %rev.end ], [ %12, %rev.more ]
  br label %rev.finish

rev.finish:
  %13 = insertvalue { double } undef, double %x.d, 0
  ret { double } %13
}

define internal { double, ptr } @aug..odd(double %x, i64 %n, ptr %arena) nounwind "reciprocal-estimates"="none" {
entry:
  %y.tape.c = alloca ptr
  %last = icmp slt i64 %n, 1
  br i1 %last, label %end, label %more

more:
  %less = sub i64 %n, 1
  %y.aug = call { double, ptr } @aug..even(double %x, i64 %less, ptr %arena)
  %y = extractvalue { double, ptr } %y.aug, 0
  %y.tape = extractvalue { double, ptr } %y.aug, 1
  %0 = icmp eq ptr %y.tape, null
  br i1 %0, label %no.memory, label %more.kept

more.kept:
  store ptr %y.tape, ptr %y.tape.c
  %m = fadd double %y, %x
  br label %end

end:
  %r = phi double [ 2.0, %entry ], [ %m, %more.kept ]
  %tape = call ptr @enzyme_allocate(ptr %arena, i64 8)
  %1 = icmp eq ptr %tape, null
  br i1 %1, label %no.memory, label %end.kept

end.kept:
  %2 = getelementptr { ptr }, ptr %tape, i32 0, i32 0
  %3 = load ptr, ptr %y.tape.c
  store ptr %3, ptr %2
  %4 = insertvalue { double, ptr } undef, double %r, 0
  %5 = insertvalue { double, ptr } %4, ptr %tape, 1
  ret { double, ptr } %5

no.memory:
  %6 = insertvalue { double, ptr } undef, double 0.000000e+00, 0
  %7 = insertvalue { double, ptr } %6, ptr null, 1
  ret { double, ptr } %7
}

define internal { double } @rev..odd(double %x, i64 %n, double %seed, ptr %arena, ptr %tape) nounwind "reciprocal-estimates"="none" {
rev.entry:
  %y.tape.c = alloca ptr
  %0 = getelementptr { ptr }, ptr %tape, i32 0, i32 0
  %1 = load ptr, ptr %0
  store ptr %1, ptr %y.tape.c
  br label %rev.end

rev.end:
  %last.r = icmp slt i64 %n, 1
  br i1 %last.r, label %rev.entry.1, label %rev.end.more

rev.end.more:
  br label %rev.more

rev.more:
  %less.r = sub i64 %n, 1
  %y.tape.l = load ptr, ptr %y.tape.c
  %2 = call { double } @rev..even(double %x, i64 %less.r, double %seed, ptr %arena, ptr %y.tape.l)
  %3 = extractvalue { double } %2, 0
  %4 = fadd reassoc nsz arcp contract double %seed, %3
  br label %rev.entry.1

rev.entry.1:
  %x.d = phi double [ 0.000000e+00, %rev.end ], [ %4, %rev.more ]
  br label %rev.finish

rev.finish:
  %5 = insertvalue { double } undef, double %x.d, 0
  ret { double } %5
}

declare noalias ptr @enzyme_allocate(ptr, i64) nounwind

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
!44 = !{}
!30 = distinct !{!30, !"work.1"}
!31 = distinct !{!31, !30, !"cache"}
!32 = distinct !{!32, !30, !"primal 0"}
!33 = distinct !{!33, !30, !"shadow 0 0"}
