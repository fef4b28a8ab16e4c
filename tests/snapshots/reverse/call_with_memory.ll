
define internal void @square(ptr %p) {
entry:
  %v = load double, ptr %p
  %q = fmul double %v, %v
  store double %q, ptr %p
  ret void
}

define double @f(ptr %x) {
entry:
  %p = getelementptr double, ptr %x, i64 1
  call void @square(ptr %x)
  call void @square(ptr %p)
  %a = load double, ptr %x
  %b = load double, ptr %p
  %r = fmul double %a, %b
  ret double %r
}

define void @grad.f(ptr %x, ptr %x.d, double %seed) nounwind "reciprocal-estimates"="none" {
entry:
  %arena = alloca { ptr, ptr, i64, i64, i64, i64, i64 }
  store { ptr, ptr, i64, i64, i64, i64, i64 } zeroinitializer, ptr %arena
  %.tape.c = alloca ptr
  %.tape.c.1 = alloca ptr
  %p = getelementptr double, ptr %x, i64 1
  %p.d = getelementptr double, ptr %x.d, i64 1
  %.aug = call { ptr } @aug..square(ptr %x, ptr %x.d, ptr %arena)
  %.tape = extractvalue { ptr } %.aug, 0
  %0 = icmp eq ptr %.tape, null
  br i1 %0, label %no.memory, label %entry.kept

entry.kept:
  store ptr %.tape, ptr %.tape.c
  %.aug.1 = call { ptr } @aug..square.1(ptr %p, ptr %p.d, ptr %arena)
  %.tape.1 = extractvalue { ptr } %.aug.1, 0
  %1 = icmp eq ptr %.tape.1, null
  br i1 %1, label %no.memory, label %entry.kept.1

entry.kept.1:
  store ptr %.tape.1, ptr %.tape.c.1
  %a = load double, ptr %x, !alias.scope !4, !noalias !5
  %b = load double, ptr %p, !alias.scope !4, !noalias !5
  %r = fmul double %a, %b
  br label %rev.entry

rev.entry:
  %p.r = getelementptr double, ptr %x, i64 1
  %b.r = load double, ptr %p.r, !alias.scope !4, !noalias !5
  %2 = fmul nsz arcp contract double %seed, %b.r
  %3 = fcmp oeq double %seed, 0x0000000000000000
  %4 = select i1 %3, double 0.000000e+00, double %2
  %a.r = load double, ptr %x, !alias.scope !4, !noalias !5
  %5 = fmul nsz arcp contract double %seed, %a.r
  %6 = fcmp oeq double %seed, 0x0000000000000000
  %7 = select i1 %6, double 0.000000e+00, double %5
  %p.d.r = getelementptr double, ptr %x.d, i64 1
  %8 = load double, ptr %p.d.r, align 8, !alias.scope !6, !noalias !7
  %9 = fadd reassoc nsz arcp contract double %8, %7
  store double %9, ptr %p.d.r, align 8, !alias.scope !6, !noalias !7
  %10 = load double, ptr %x.d, align 8, !alias.scope !6, !noalias !7
  %11 = fadd reassoc nsz arcp contract double %10, %4
  store double %11, ptr %x.d, align 8, !alias.scope !6, !noalias !7
  %.tape.l = load ptr, ptr %.tape.c.1
  call void @rev..square.1(ptr %p.r, ptr %p.d.r, ptr %arena, ptr %.tape.l)
  %.tape.l.1 = load ptr, ptr %.tape.c
  call void @rev..square(ptr %x, ptr %x.d, ptr %arena, ptr %.tape.l.1)
  br label %rev.finish

rev.finish:
  call void @enzyme_release(ptr %arena, i1 false)
  ret void

no.memory:
  call void @enzyme_release(ptr %arena, i1 true)
  call void @abort()
  unreachable
}

define internal { ptr } @aug..square(ptr %p, ptr %p.d, ptr %arena) nounwind "reciprocal-estimates"="none" {
entry:
  %v.c = alloca double
  %v = load double, ptr %p, !alias.scope !19, !noalias !20
  store double %v, ptr %v.c
  %q = fmul double %v, %v
  store double %q, ptr %p, !alias.scope !19, !noalias !20
  %tape = call ptr @enzyme_allocate(ptr %arena, i64 8)
  %0 = icmp eq ptr %tape, null
  br i1 %0, label %no.memory, label %entry.kept

entry.kept:
  %1 = getelementptr { double }, ptr %tape, i32 0, i32 0
  %2 = load double, ptr %v.c
  store double %2, ptr %1
  %3 = insertvalue { ptr } undef, ptr %tape, 0
  ret { ptr } %3

no.memory:
  %4 = insertvalue { ptr } undef, ptr null, 0
  ret { ptr } %4
}

define internal void @rev..square(ptr %p, ptr %p.d, ptr %arena, ptr %tape) nounwind "reciprocal-estimates"="none" {
rev.entry:
  %v.c = alloca double
  %0 = getelementptr { double }, ptr %tape, i32 0, i32 0
  %1 = load double, ptr %0
  store double %1, ptr %v.c
  br label %rev.entry.1

rev.entry.1:
  %2 = load double, ptr %p.d, align 8, !alias.scope !21, !noalias !22
  store double 0.000000e+00, ptr %p.d, align 8, !alias.scope !21, !noalias !22
  %v.l = load double, ptr %v.c
  %3 = fadd reassoc nsz arcp contract double %v.l, %v.l
  %4 = fmul nsz arcp contract double %2, %3
  %5 = fcmp oeq double %2, 0x0000000000000000
  %6 = select i1 %5, double 0.000000e+00, double %4
  %7 = load double, ptr %p.d, align 8, !alias.scope !21, !noalias !22
  %8 = fadd reassoc nsz arcp contract double %7, %6
  store double %8, ptr %p.d, align 8, !alias.scope !21, !noalias !22
  br label %rev.finish

rev.finish:
  ret void
}

declare noalias ptr @enzyme_allocate(ptr, i64) nounwind

define internal { ptr } @aug..square.1(ptr %p, ptr %p.d, ptr %arena) nounwind "reciprocal-estimates"="none" {
entry:
  %v.c = alloca double
  %v = load double, ptr %p, !alias.scope !34, !noalias !35
  store double %v, ptr %v.c
  %q = fmul double %v, %v
  store double %q, ptr %p, !alias.scope !34, !noalias !35
  %tape = call ptr @enzyme_allocate(ptr %arena, i64 8)
  %0 = icmp eq ptr %tape, null
  br i1 %0, label %no.memory, label %entry.kept

entry.kept:
  %1 = getelementptr { double }, ptr %tape, i32 0, i32 0
  %2 = load double, ptr %v.c
  store double %2, ptr %1
  %3 = insertvalue { ptr } undef, ptr %tape, 0
  ret { ptr } %3

no.memory:
  %4 = insertvalue { ptr } undef, ptr null, 0
  ret { ptr } %4
}

define internal void @rev..square.1(ptr %p, ptr %p.d, ptr %arena, ptr %tape) nounwind "reciprocal-estimates"="none" {
rev.entry:
  %v.c = alloca double
  %0 = getelementptr { double }, ptr %tape, i32 0, i32 0
  %1 = load double, ptr %0
  store double %1, ptr %v.c
  br label %rev.entry.1

rev.entry.1:
  %2 = load double, ptr %p.d, align 8, !alias.scope !36, !noalias !37
  store double 0.000000e+00, ptr %p.d, align 8, !alias.scope !36, !noalias !37
  %v.l = load double, ptr %v.c
  %3 = fadd reassoc nsz arcp contract double %v.l, %v.l
  %4 = fmul nsz arcp contract double %2, %3
  %5 = fcmp oeq double %2, 0x0000000000000000
  %6 = select i1 %5, double 0.000000e+00, double %4
  %7 = load double, ptr %p.d, align 8, !alias.scope !36, !noalias !37
  %8 = fadd reassoc nsz arcp contract double %7, %6
  store double %8, ptr %p.d, align 8, !alias.scope !36, !noalias !37
  br label %rev.finish

rev.finish:
  ret void
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
!19 = !{!17}
!20 = !{!16, !18}
!21 = !{!18}
!22 = !{!16, !17}
!44 = !{}
!30 = distinct !{!30, !"work"}
!31 = distinct !{!31, !30, !"cache"}
!32 = distinct !{!32, !30, !"primal 0"}
!33 = distinct !{!33, !30, !"shadow 0 0"}
!34 = !{!32}
!35 = !{!31, !33}
!36 = !{!33}
!37 = !{!31, !32}
!4 = !{!2}
!5 = !{!1, !3}
!6 = !{!3}
!7 = !{!1, !2}
