declare void @a(ptr nocapture readonly) argmemonly nounwind readonly
declare void @b(ptr nocapture) inaccessiblememonly
declare void @c() readnone speculatable
define void @d(ptr nocapture writeonly %p) norecurse nounwind { store i8 0, ptr %p
  ret void }
