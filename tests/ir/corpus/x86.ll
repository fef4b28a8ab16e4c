define <4 x float> @f(<4 x float> %a) {
  %1 = call <4 x float> @llvm.x86.sse.rcp.ps(<4 x float> %a)
  ret <4 x float> %1
}
declare <4 x float> @llvm.x86.sse.rcp.ps(<4 x float>)
define x86_regcallcc i32 @g() { ret i32 0 }
define x86_vectorcallcc void @h(x86_fp80 inreg %x) { ret void }
define void @i() {
  call x86_vectorcallcc void @h(x86_fp80 0xK00000000000000000000)
  %1 = call x86_regcallcc i32 @g()
  ret void
}
