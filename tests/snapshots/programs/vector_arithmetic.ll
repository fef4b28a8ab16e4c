; Two lanes at once.
; arguments: [1.5 2] [3 -4]
; returns: void
declare <2 x double> @llvm.sqrt.v2f64(<2 x double>)
define void @f(ptr %x, ptr %y) {
entry:
  %a = load <2 x double>, ptr %x
  %b = load <2 x double>, ptr %y
  %m = fmul <2 x double> %a, %b
  %s = fadd <2 x double> %m, <double 20.0, double 20.0>
  %r = call <2 x double> @llvm.sqrt.v2f64(<2 x double> %s)
  store <2 x double> %r, ptr %y
  ret void
}
