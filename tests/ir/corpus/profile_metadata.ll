define void @f() !prof !0 !foo !1 {
  call void @g(), !prof !2, !srcloc !3
  ret void
}
declare !foo !1 void @g()
@v = global i32 0, !foo !1, !type !4
!0 = !{!"function_entry_count", i64 100}
!1 = !{!"foo"}
!2 = !{!"branch_weights", i32 3}
!3 = !{i64 12}
!4 = !{i64 0, !"typeid"}
