define <4 x float> @f(<4 x float> %a, <4 x float> %b, i32 %i, <4 x i1> %m) {
  %1 = extractelement <4 x float> %a, i32 %i
  %2 = insertelement <4 x float> %b, float %1, i64 2
  %3 = shufflevector <4 x float> %a, <4 x float> %2, <4 x i32> <i32 0, i32 4, i32 1, i32 5>
  %4 = shufflevector <4 x float> %3, <4 x float> poison, <2 x i32> <i32 poison, i32 1>
  %5 = shufflevector <4 x float> %3, <4 x float> poison, <4 x i32> zeroinitializer
  %6 = select <4 x i1> %m, <4 x float> %a, <4 x float> %5
  %7 = fadd <4 x float> %6, <float 1.0, float 2.0, float 3.0, float 4.0>
  %8 = fmul fast <4 x float> %7, splat (float 2.0)
  %9 = call <4 x float> @llvm.fma.v4f32(<4 x float> %8, <4 x float> %8, <4 x float> zeroinitializer)
  %10 = fptosi <4 x float> %9 to <4 x i32>
  %11 = sitofp <4 x i32> %10 to <4 x float>
  ret <4 x float> %11
}
define <vscale x 2 x double> @s(<vscale x 2 x double> %x, i64 %n) {
  %1 = fadd <vscale x 2 x double> %x, splat (double 1.0)
  %2 = insertelement <vscale x 2 x double> poison, double 3.0, i64 0
  %3 = shufflevector <vscale x 2 x double> %2, <vscale x 2 x double> poison, <vscale x 2 x i32> zeroinitializer
  %4 = fcmp ogt <vscale x 2 x double> %1, %3
  %5 = select <vscale x 2 x i1> %4, <vscale x 2 x double> %1, <vscale x 2 x double> %3
  ret <vscale x 2 x double> %5
}
define <2 x ptr> @g(ptr %p, <2 x ptr> %v, <2 x i64> %i) {
  %1 = getelementptr double, ptr %p, <2 x i64> %i
  %2 = getelementptr { i32, i32 }, <2 x ptr> %1, <2 x i64> %i, <2 x i32> splat (i32 1)
  %3 = getelementptr i8, <2 x ptr> %v, i64 4
  %4 = icmp eq <2 x ptr> %2, %3
  ret <2 x ptr> %2
}
declare <4 x float> @llvm.fma.v4f32(<4 x float>, <4 x float>, <4 x float>)
