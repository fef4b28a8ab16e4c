
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
  %6 = fadd reassoc nsz arcp contract double %y.r, %y.r
  %7 = fmul nsz arcp contract double %3, %6
  %8 = fadd reassoc nsz arcp contract double %5, %7
  %9 = fadd reassoc nsz arcp contract double %x.r, %x.r
  %10 = fmul nsz arcp contract double %0, %9
  %11 = fadd reassoc nsz arcp contract double %4, %10
  %12 = insertvalue { double, double } zeroinitializer, double %8, 1
  %13 = extractvalue { double, double } zeroinitializer, 0
  %14 = extractvalue { double, double } %12, 0
  %15 = fadd reassoc nsz arcp contract double %13, %14
  %16 = insertvalue { double, double } zeroinitializer, double %15, 0
  %17 = extractvalue { double, double } zeroinitializer, 1
  %18 = extractvalue { double, double } %12, 1
  %19 = fadd reassoc nsz arcp contract double %17, %18
  %20 = insertvalue { double, double } %16, double %19, 1
  %21 = insertvalue { double, double } zeroinitializer, double %11, 0
  %22 = extractvalue { double, double } %20, 0
  %23 = extractvalue { double, double } %21, 0
  %24 = fadd reassoc nsz arcp contract double %22, %23
  %25 = insertvalue { double, double } %20, double %24, 0
  %26 = extractvalue { double, double } %20, 1
  %27 = extractvalue { double, double } %21, 1
  %28 = fadd reassoc nsz arcp contract double %26, %27
  %29 = insertvalue { double, double } %25, double %28, 1
  %30 = extractvalue { double, double } %29, 1
  %31 = insertvalue { double, double } %29, double 0.000000e+00, 1
  %32 = extractvalue { double, double } zeroinitializer, 0
  %33 = extractvalue { double, double } %31, 0
  %34 = fadd reassoc nsz arcp contract double %32, %33
  %35 = insertvalue { double, double } zeroinitializer, double %34, 0
  %36 = extractvalue { double, double } zeroinitializer, 1
  %37 = extractvalue { double, double } %31, 1
  %38 = fadd reassoc nsz arcp contract double %36, %37
  %39 = insertvalue { double, double } %35, double %38, 1
  %40 = extractvalue { double, double } %39, 0
  br label %rev.finish

rev.finish:
  %41 = insertvalue { double, double } undef, double %40, 0
  %42 = insertvalue { double, double } %41, double %30, 1
  ret { double, double } %42
}


!14 = !{}
!0 = distinct !{!0, !"grad.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
