define i8 @f(i64 %x) {
  switch i64 %x, label %d [ i64 -9223372036854775808, label %a i64 9223372036854775807, label %b ]
a: ret i8 1
b: ret i8 2
d: ret i8 3
}
define void @bool(i1 %c) {
  switch i1 %c, label %d [ i1 true, label %a  i1 false, label %d ]
a: br label %d
d: ret void
}
