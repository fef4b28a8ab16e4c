$f9 = comdat any
declare void @d0()
declare i32 @d1(i32, ptr noundef, ...)
declare extern_weak void @d2()
declare dso_local noalias noundef nonnull ptr @d3(i64 noundef) #0
declare fastcc void @d4(double)
declare cc 99 void @d5()
declare hidden ghccc void @d6()
declare void @d7() local_unnamed_addr nounwind willreturn
define internal fastcc double @f0(double %x) unnamed_addr { ret double %x }
define linkonce_odr void @f1() { ret void }
define weak hidden void @f2() { ret void }
define private void @f3() { ret void }
define available_externally void @f4() { ret void }
define dllexport void @f5() { ret void }
define dso_local coldcc void @f6() local_unnamed_addr section "text.x" align 32 { ret void }
define void @f7() gc "shadow-stack" { ret void }
define void @f8() personality ptr @pers { ret void }
define void @f9() comdat { ret void }
define void @f10() comdat($f9) { ret void }
define void @f11() prefix i32 123 { ret void }
define void @f12() prologue <{ i8, i8 }> <{ i8 1, i8 2 }> { ret void }
define void @f13() partition "p" { ret void }
define protected zeroext i8 @f14() nounwind "k"="v" "flag" uwtable { ret i8 0 }
define void @f15() nounwind uwtable(sync) alignstack(16) memory(argmem: readwrite, inaccessiblemem: read) { ret void }
define void @f16() addrspace(1) { ret void }
define void @f17() prefix { i32, ptr } { i32 1, ptr @f16p } { ret void }
define void @f16p() { ret void }
declare i32 @pers(...)
attributes #0 = { allocsize(0) allockind("alloc,uninitialized") "alloc-family"="malloc" memory(inaccessiblemem: readwrite) }
