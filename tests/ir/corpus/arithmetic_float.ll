define double @d(double %x, double %y) {
  %a = fadd double %x, %y
  %b = fadd fast double %a, 1.000000e+00
  %c = fsub nnan ninf double %b, 0x3FB999999999999A
  %d = fmul reassoc nsz arcp contract afn double %c, -2.500000e-01
  %e = fdiv contract double %d, 0x7FF0000000000000
  %f = frem double %e, 0x7FF8000000000000
  %g = fneg double %f
  %h = fneg fast double %g
  ret double %h
}
define float @f(float %x) {
  %a = fmul float %x, 0x3FB99999A0000000
  %b = fadd float %a, 1.5
  ret float %b
}
define half @h(half %x) {
  %a = fadd half %x, 0xH3C00
  ret half %a
}
define bfloat @b(bfloat %x) {
  %a = fadd bfloat %x, 0xR3F80
  ret bfloat %a
}
define x86_fp80 @x(x86_fp80 %x) {
  %a = fadd x86_fp80 %x, 0xK3FFF8000000000000000
  ret x86_fp80 %a
}
define fp128 @q(fp128 %x) {
  %a = fadd fp128 %x, 0xL00000000000000003FFF000000000000
  ret fp128 %a
}
define ppc_fp128 @p(ppc_fp128 %x) {
  %a = fadd ppc_fp128 %x, 0xM3FF00000000000000000000000000000
  ret ppc_fp128 %a
}
