define i32 @f() {
  ret i32 1
dead:
  %a = add i32 %b, 1
  %b = add i32 %a, 1
  br label %dead
}
