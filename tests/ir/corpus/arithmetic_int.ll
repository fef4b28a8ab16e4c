define i32 @all(i32 %a, i32 %b) {
  %1 = add i32 %a, %b
  %2 = add nuw i32 %1, 7
  %3 = add nsw i32 %2, -7
  %4 = add nuw nsw i32 %3, 2147483647
  %5 = sub nsw i32 %4, %a
  %6 = mul nuw i32 %5, %b
  %7 = udiv i32 %6, 3
  %8 = udiv exact i32 %7, 5
  %9 = sdiv exact i32 %8, -5
  %10 = urem i32 %9, 9
  %11 = srem i32 %10, 4
  %12 = shl nuw nsw i32 %11, 1
  %13 = lshr exact i32 %12, 1
  %14 = ashr i32 %13, 2
  %15 = and i32 %14, 255
  %16 = or disjoint i32 %15, 256
  %17 = or i32 %16, 1
  %18 = xor i32 %17, -1
  ret i32 %18
}
define i1 @bits(i1 %a) { %b = xor i1 %a, true
  %c = and i1 %b, false
  ret i1 %c
}
