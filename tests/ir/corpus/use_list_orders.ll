@g = global i32 0
define i32 @f(i32 %x) {
  %a = add i32 %x, %x
  %b = add i32 %x, %a
  ret i32 %b
  uselistorder i32 %x, { 1, 2, 0 }
}
