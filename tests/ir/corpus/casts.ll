define void @f(i64 %i, double %d, float %s, ptr %p, i8 %b) {
  %1 = trunc i64 %i to i32
  %2 = trunc nuw nsw i64 %i to i16
  %3 = zext i8 %b to i64
  %4 = zext nneg i8 %b to i64
  %5 = sext i8 %b to i128
  %6 = fptrunc double %d to float
  %7 = fpext float %s to double
  %8 = fpext fast float %s to double
  %9 = fptoui double %d to i32
  %10 = fptosi double %d to i1
  %11 = uitofp i64 %i to double
  %12 = uitofp nneg i64 %i to double
  %13 = sitofp i64 %i to x86_fp80
  %14 = ptrtoint ptr %p to i64
  %15 = inttoptr i64 %i to ptr
  %16 = bitcast i64 %i to double
  %17 = addrspacecast ptr %p to ptr addrspace(3)
  %18 = bitcast <2 x i64> zeroinitializer to <4 x float>
  %19 = ptrtoaddr ptr %p to i64
  ret void
}
