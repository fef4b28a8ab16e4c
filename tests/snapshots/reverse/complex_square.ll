
define double @f(double %re, double %im) {
entry:
  %a = insertvalue { double, double } zeroinitializer, double %re, 0
  %z = insertvalue { double, double } %a, double %im, 1
  %x = extractvalue { double, double } %z, 0
  %y = extractvalue { double, double } %z, 1
  %xx = fmul double %x, %x
  %yy = fmul double %y, %y
  %xy = fmul double %x, %y
  %u = fsub double %xx, %yy
  %v = fmul double %xy, 2.0
  %r = fmul double %u, %v
  ret double %r
}

define { double, double } @grad.f(double %re, double %im, double %seed) nounwind "reciprocal-estimates"="none" {
entry:
  %a = insertvalue { double, double } zeroinitializer, double %re, 0
  %z = insertvalue { double, double } %a, double %im, 1
  %x = extractvalue { double, double } %z, 0
  %y = extractvalue { double, double } %z, 1
  %xx = fmul double %x, %x
  %yy = fmul double %y, %y
  %xy = fmul double %x, %y
  %u = fsub double %xx, %yy
  %v = fmul double %xy, 2.0
  %r = fmul double %u, %v
  br label %rev.entry

rev.entry:
  %a.r = insertvalue { double, double } zeroinitializer, double %re, 0
  %z.r = insertvalue { double, double } %a.r, double %im, 1
  %x.r = extractvalue { double, double } %z.r, 0
  %y.r = extractvalue { double, double } %z.r, 1
  %xy.r = fmul double %x.r, %y.r
  %v.r = fmul double %xy.r, 2.0
  %0 = fmul nsz arcp contract double %seed, %v.r
  %xx.r = fmul double %x.r, %x.r
  %yy.r = fmul double %y.r, %y.r
  %u.r = fsub double %xx.r, %yy.r
  %1 = fmul nsz arcp contract double %seed, %u.r
  %2 = fmul nsz arcp contract double %1, 2.0
  %3 = fneg nsz arcp contract double %0
  %4 = fmul nsz arcp contract double %2, %y.r
  %5 = fmul nsz arcp contract double %2, %x.r
  %6 = fmul nsz arcp contract double %3, %y.r
  %7 = fadd reassoc nsz arcp contract double %5, %6
  %8 = fmul nsz arcp contract double %3, %y.r
  %9 = fadd reassoc nsz arcp contract double %7, %8
  %10 = fmul nsz arcp contract double %0, %x.r
  %11 = fadd reassoc nsz arcp contract double %4, %10
  %12 = fmul nsz arcp contract double %0, %x.r
  %13 = fadd reassoc nsz arcp contract double %11, %12
  %14 = insertvalue { double, double } zeroinitializer, double %9, 1
  %15 = extractvalue { double, double } zeroinitializer, 0
  %16 = extractvalue { double, double } %14, 0
  %17 = fadd reassoc nsz arcp contract double %15, %16
  %18 = insertvalue { double, double } zeroinitializer, double %17, 0
  %19 = extractvalue { double, double } zeroinitializer, 1
  %20 = extractvalue { double, double } %14, 1
  %21 = fadd reassoc nsz arcp contract double %19, %20
  %22 = insertvalue { double, double } %18, double %21, 1
  %23 = insertvalue { double, double } zeroinitializer, double %13, 0
  %24 = extractvalue { double, double } %22, 0
  %25 = extractvalue { double, double } %23, 0
  %26 = fadd reassoc nsz arcp contract double %24, %25
  %27 = insertvalue { double, double } %22, double %26, 0
  %28 = extractvalue { double, double } %22, 1
  %29 = extractvalue { double, double } %23, 1
  %30 = fadd reassoc nsz arcp contract double %28, %29
  %31 = insertvalue { double, double } %27, double %30, 1
  %32 = extractvalue { double, double } %31, 1
  %33 = insertvalue { double, double } %31, double 0.000000e+00, 1
  %34 = extractvalue { double, double } zeroinitializer, 0
  %35 = extractvalue { double, double } %33, 0
  %36 = fadd reassoc nsz arcp contract double %34, %35
  %37 = insertvalue { double, double } zeroinitializer, double %36, 0
  %38 = extractvalue { double, double } zeroinitializer, 1
  %39 = extractvalue { double, double } %33, 1
  %40 = fadd reassoc nsz arcp contract double %38, %39
  %41 = insertvalue { double, double } %37, double %40, 1
  %42 = extractvalue { double, double } %41, 0
  br label %rev.finish

rev.finish:
  %43 = insertvalue { double, double } undef, double %42, 0
  %44 = insertvalue { double, double } %43, double %32, 1
  ret { double, double } %44
}


!14 = !{}
!0 = distinct !{!0, !"grad.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
