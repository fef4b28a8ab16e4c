define i32 @f(i32 %a0) {
  %a1 = add i32 %a0, 1
  %a2 = add i32 %a1, %a0
  %-x = add i32 %a2, 1
  %.y.z = add i32 %-x, 1
  %_ = add i32 %.y.z, 1
  %x$y = add i32 %_, 1
  %add = add i32 %x$y, 1
  %load = add i32 %add, 1
  %i32 = add i32 %load, 1
  %ret = add i32 %i32, 1
  %x = add i32 %ret, 1
  %c = add i32 %x, 1
  ret i32 %c
}
