@targets = constant [2 x ptr] [ptr blockaddress(@f, %one), ptr blockaddress(@f, %two)]
define i32 @f(i64 %i) {
entry:
  %p = getelementptr [2 x ptr], ptr @targets, i64 0, i64 %i
  %t = load ptr, ptr %p
  indirectbr ptr %t, [label %one, label %two]
one:
  ret i32 1
two:
  ret i32 2
}
