
define internal double @g(double %x, double %y) {
entry:
  %a = fmul double %x, %y
  %b = fmul double %a, %x
  ret double %b
}

define double @f(double %x, double %y) {
entry:
  %a = call double @g(double %x, double %y)
  %b = call double @g(double %a, double 2.0)
  ret double %b
}

define { double, double } @grad.f(double %x, double %y, double %seed) nounwind "reciprocal-estimates"="none" {
entry:
  %arena = alloca { ptr, ptr, i64, i64, i64, i64, i64 }
  store { ptr, ptr, i64, i64, i64, i64, i64 } zeroinitializer, ptr %arena
  %a.tape.c = alloca ptr
  %b.tape.c = alloca ptr
  %a.c = alloca double
  %a.aug = call { double, ptr } @aug..g(double %x, double %y, ptr %arena)
  %a = extractvalue { double, ptr } %a.aug, 0
  store double %a, ptr %a.c
  %a.tape = extractvalue { double, ptr } %a.aug, 1
  %0 = icmp eq ptr %a.tape, null
  br i1 %0, label %no.memory, label %entry.kept

entry.kept:
  store ptr %a.tape, ptr %a.tape.c
  %b.aug = call { double, ptr } @aug..g.1(double %a, double 2.0, ptr %arena)
  %b = extractvalue { double, ptr } %b.aug, 0
  %b.tape = extractvalue { double, ptr } %b.aug, 1
  %1 = icmp eq ptr %b.tape, null
  br i1 %1, label %no.memory, label %entry.kept.1

entry.kept.1:
  store ptr %b.tape, ptr %b.tape.c
  br label %rev.entry

rev.entry:
  %a.l = load double, ptr %a.c
  %b.tape.l = load ptr, ptr %b.tape.c
  %2 = call { double } @rev..g.1(double %a.l, double 2.0, double %seed, ptr %arena, ptr %b.tape.l)
  %3 = extractvalue { double } %2, 0
  %a.tape.l = load ptr, ptr %a.tape.c
  %4 = call { double, double } @rev..g(double %x, double %y, double %3, ptr %arena, ptr %a.tape.l)
  %5 = extractvalue { double, double } %4, 0
  %6 = extractvalue { double, double } %4, 1
  br label %rev.finish

rev.finish:
  call void @enzyme_release(ptr %arena, i1 false)
  %7 = insertvalue { double, double } undef, double %5, 0
  %8 = insertvalue { double, double } %7, double %6, 1
  ret { double, double } %8

no.memory:
  call void @enzyme_release(ptr %arena, i1 true)
  call void @abort()
  unreachable
}

define internal { double, ptr } @aug..g(double %x, double %y, ptr %arena) nounwind "reciprocal-estimates"="none" {
entry:
  %a = fmul double %x, %y
  %b = fmul double %a, %x
  %0 = insertvalue { double, ptr } undef, double %b, 0
  %1 = insertvalue { double, ptr } %0, ptr %arena, 1
  ret { double, ptr } %1
}

define internal { double, double } @rev..g(double %x, double %y, double %seed, ptr %arena, ptr %tape) nounwind "reciprocal-estimates"="none" {
rev.entry:
  br label %rev.entry.1

rev.entry.1:
  %0 = fmul nsz arcp contract double %seed, %x
  %1 = fcmp oeq double %seed, 0x0000000000000000
  %2 = select i1 %1, double 0.000000e+00, double %0
  %a.r = fmul double %x, %y
  %3 = fmul nsz arcp contract double %seed, %a.r
  %4 = fcmp oeq double %seed, 0x0000000000000000
  %5 = select i1 %4, double 0.000000e+00, double %3
  %6 = fmul nsz arcp contract double %2, %y
  %7 = fcmp oeq double %2, 0x0000000000000000
  %8 = select i1 %7, double 0.000000e+00, double %6
  %9 = fadd reassoc nsz arcp contract double %5, %8
  %10 = fmul nsz arcp contract double %2, %x
  %11 = fcmp oeq double %2, 0x0000000000000000
  %12 = select i1 %11, double 0.000000e+00, double %10
  br label %rev.finish

rev.finish:
  %13 = insertvalue { double, double } undef, double %9, 0
  %14 = insertvalue { double, double } %13, double %12, 1
  ret { double, double } %14
}

define internal { double, ptr } @aug..g.1(double %x, double %y, ptr %arena) nounwind "reciprocal-estimates"="none" {
entry:
  %a = fmul double %x, %y
  %b = fmul double %a, %x
  %0 = insertvalue { double, ptr } undef, double %b, 0
  %1 = insertvalue { double, ptr } %0, ptr %arena, 1
  ret { double, ptr } %1
}

define internal { double } @rev..g.1(double %x, double %y, double %seed, ptr %arena, ptr %tape) nounwind "reciprocal-estimates"="none" {
rev.entry:
  br label %rev.entry.1

rev.entry.1:
  %0 = fmul nsz arcp contract double %seed, %x
  %1 = fcmp oeq double %seed, 0x0000000000000000
  %2 = select i1 %1, double 0.000000e+00, double %0
  %a.r = fmul double %x, %y
  %3 = fmul nsz arcp contract double %seed, %a.r
  %4 = fcmp oeq double %seed, 0x0000000000000000
  %5 = select i1 %4, double 0.000000e+00, double %3
  %6 = fmul nsz arcp contract double %2, %y
  %7 = fcmp oeq double %2, 0x0000000000000000
  %8 = select i1 %7, double 0.000000e+00, double %6
  %9 = fadd reassoc nsz arcp contract double %5, %8
  br label %rev.finish

rev.finish:
  %10 = insertvalue { double } undef, double %9, 0
  ret { double } %10
}

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
!30 = distinct !{!30, !"work"}
!31 = distinct !{!31, !30, !"cache"}
!32 = distinct !{!32, !30, !"primal 0"}
!33 = distinct !{!33, !30, !"shadow 0 0"}
