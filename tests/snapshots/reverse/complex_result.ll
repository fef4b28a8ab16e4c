
define internal { double, double } @turned(double %x, double %y) noinline {
entry:
  %n = fneg double %y
  %a = insertvalue { double, double } zeroinitializer, double %n, 0
  %r = insertvalue { double, double } %a, double %x, 1
  ret { double, double } %r
}

define double @f(double %re, double %im) {
entry:
  %z = call { double, double } @turned(double %re, double %im)
  %x = extractvalue { double, double } %z, 0
  %y = extractvalue { double, double } %z, 1
  %xx = fmul double %x, %x
  %r = fmul double %xx, %y
  ret double %r
}

define { double, double } @grad.f(double %re, double %im, double %seed) nounwind "reciprocal-estimates"="none" {
entry:
  %arena = alloca { ptr, ptr, i64, i64, i64, i64, i64 }
  store { ptr, ptr, i64, i64, i64, i64, i64 } zeroinitializer, ptr %arena
  %z.tape.c = alloca ptr
  %x.c = alloca double
  %y.c = alloca double
  %z.aug = call { { double, double }, ptr } @aug..turned(double %re, double %im, ptr %arena)
  %z = extractvalue { { double, double }, ptr } %z.aug, 0
  %z.tape = extractvalue { { double, double }, ptr } %z.aug, 1
  %0 = icmp eq ptr %z.tape, null
  br i1 %0, label %no.memory, label %entry.kept

entry.kept:
  store ptr %z.tape, ptr %z.tape.c
  %x = extractvalue { double, double } %z, 0
  store double %x, ptr %x.c
  %y = extractvalue { double, double } %z, 1
  store double %y, ptr %y.c
  %xx = fmul double %x, %x
  %r = fmul double %xx, %y
  br label %rev.entry

rev.entry:
  %y.l = load double, ptr %y.c
  %1 = fmul nsz arcp contract double %seed, %y.l
  %2 = fcmp oeq double %seed, 0x0000000000000000
  %3 = select i1 %2, double 0.000000e+00, double %1
  %x.l = load double, ptr %x.c
  %xx.r = fmul double %x.l, %x.l
  %4 = fmul nsz arcp contract double %seed, %xx.r
  %5 = fcmp oeq double %seed, 0x0000000000000000
  %6 = select i1 %5, double 0.000000e+00, double %4
  %7 = fadd reassoc nsz arcp contract double %x.l, %x.l
  %8 = fmul nsz arcp contract double %3, %7
  %9 = fcmp oeq double %3, 0x0000000000000000
  %10 = select i1 %9, double 0.000000e+00, double %8
  %11 = insertvalue { double, double } zeroinitializer, double %6, 1
  %12 = extractvalue { double, double } zeroinitializer, 0
  %13 = extractvalue { double, double } %11, 0
  %14 = fadd reassoc nsz arcp contract double %12, %13
  %15 = insertvalue { double, double } zeroinitializer, double %14, 0
  %16 = extractvalue { double, double } zeroinitializer, 1
  %17 = extractvalue { double, double } %11, 1
  %18 = fadd reassoc nsz arcp contract double %16, %17
  %19 = insertvalue { double, double } %15, double %18, 1
  %20 = insertvalue { double, double } zeroinitializer, double %10, 0
  %21 = extractvalue { double, double } %19, 0
  %22 = extractvalue { double, double } %20, 0
  %23 = fadd reassoc nsz arcp contract double %21, %22
  %24 = insertvalue { double, double } %19, double %23, 0
  %25 = extractvalue { double, double } %19, 1
  %26 = extractvalue { double, double } %20, 1
  %27 = fadd reassoc nsz arcp contract double %25, %26
  %28 = insertvalue { double, double } %24, double %27, 1
  %z.tape.l = load ptr, ptr %z.tape.c
  %29 = call { double, double } @rev..turned(double %re, double %im, { double, double } %28, ptr %arena, ptr %z.tape.l)
  %30 = extractvalue { double, double } %29, 0
  %31 = extractvalue { double, double } %29, 1
  br label %rev.finish

rev.finish:
  call void @enzyme_release(ptr %arena, i1 false)
  %32 = insertvalue { double, double } undef, double %30, 0
  %33 = insertvalue { double, double } %32, double %31, 1
  ret { double, double } %33

no.memory:
  call void @enzyme_release(ptr %arena, i1 true)
  call void @abort()
  unreachable
}

define internal { { double, double }, ptr } @aug..turned(double %x, double %y, ptr %arena) nounwind "reciprocal-estimates"="none" {
entry:
  %n = fneg double %y
  %a = insertvalue { double, double } zeroinitializer, double %n, 0
  %r = insertvalue { double, double } %a, double %x, 1
  %0 = insertvalue { { double, double }, ptr } undef, { double, double } %r, 0
  %1 = insertvalue { { double, double }, ptr } %0, ptr %arena, 1
  ret { { double, double }, ptr } %1
}

define internal { double, double } @rev..turned(double %x, double %y, { double, double } %seed, ptr %arena, ptr %tape) nounwind "reciprocal-estimates"="none" {
rev.entry:
  br label %rev.entry.1

rev.entry.1:
  %0 = extractvalue { double, double } zeroinitializer, 0
  %1 = extractvalue { double, double } %seed, 0
  %2 = fadd reassoc nsz arcp contract double %0, %1
  %3 = insertvalue { double, double } zeroinitializer, double %2, 0
  %4 = extractvalue { double, double } zeroinitializer, 1
  %5 = extractvalue { double, double } %seed, 1
  %6 = fadd reassoc nsz arcp contract double %4, %5
  %7 = insertvalue { double, double } %3, double %6, 1
  %8 = extractvalue { double, double } %7, 1
  %9 = insertvalue { double, double } %7, double 0.000000e+00, 1
  %10 = extractvalue { double, double } zeroinitializer, 0
  %11 = extractvalue { double, double } %9, 0
  %12 = fadd reassoc nsz arcp contract double %10, %11
  %13 = insertvalue { double, double } zeroinitializer, double %12, 0
  %14 = extractvalue { double, double } zeroinitializer, 1
  %15 = extractvalue { double, double } %9, 1
  %16 = fadd reassoc nsz arcp contract double %14, %15
  %17 = insertvalue { double, double } %13, double %16, 1
  %18 = extractvalue { double, double } %17, 0
  %19 = fneg nsz arcp contract double %18
  br label %rev.finish

rev.finish:
  %20 = insertvalue { double, double } undef, double %8, 0
  %21 = insertvalue { double, double } %20, double %19, 1
  ret { double, double } %21
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
