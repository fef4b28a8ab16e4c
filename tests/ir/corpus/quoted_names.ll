%"struct.a b" = type { i32, ptr }
%"plain" = type { %"struct.a b", %"q\22uote" }
%"q\22uote" = type { i8 }
@"a global" = global %"struct.a b" zeroinitializer
@"\01_raw" = global i32 0
@"dollar$x" = global i32 0
@"caf\C3\A9" = global i32 0
@"5" = global i32 5
define i32 @"my func<int>"(i32 %"an arg", i32 %"12") {
"first block":
  %"x y" = add i32 %"an arg", %"12"
  %"back\5Cslash" = add i32 %"x y", 1
  %simple = add i32 %"back\5Cslash", 1
  br label %"second\22"
"second\22":
  %p = load i32, ptr @"5"
  %"0" = add i32 %simple, %p
  %0 = add i32 %"0", 2
  br label %plain
plain:
  br label %"7"
"7":
  ret i32 %0
}
