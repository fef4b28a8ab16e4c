declare void @a() #0
declare void @b() #7
define void @c() #2 #0 { call void @a() #7
  ret void }
attributes #0 = { nounwind memory(argmem: readwrite, inaccessiblemem: none, errnomem: write) }
attributes #2 = { mustprogress nofree norecurse "target-cpu"="x86-64" "target-features"="+avx,+sse" alignstack=16 }
attributes #7 = { cold noreturn vscale_range(1,16) uwtable "brace}"="{" }
