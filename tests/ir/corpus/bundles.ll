declare void @llvm.assume(i1)
declare void @f(i32)
define void @g(ptr %p, i64 %n) personality ptr null {
  call void @llvm.assume(i1 true) [ "align"(ptr %p, i64 64) ]
  call void @llvm.assume(i1 true) [ "nonnull"(ptr %p), "dereferenceable"(ptr %p, i64 %n) ]
  call void @f(i32 1) #0 [ "deopt"(i32 10, { i32, ptr } { i32 1, ptr null }), "other"() ]
  %1 = call i32 %p(i64 %n) [ "x"(i64 %n, i64 %n, ptr @f) ], !foo !0
  invoke void @f(i32 2) [ "deopt"(i64 %n) ]
          to label %ok unwind label %bad
ok:
  ret void
bad:
  %l = landingpad { ptr, i32 }
          cleanup
  ret void
}
attributes #0 = { nounwind }
!0 = !{}
