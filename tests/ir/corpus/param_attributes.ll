%s = type { i32, i64 }
define void @f(i8 zeroext %a, i8 signext %b, i32 inreg %c, ptr byval(%s) align 8 %d) { ret void }
define void @f2(ptr noalias sret(%s) align 8 %e) { ret void }
define void @g(ptr noalias captures(none) %a, ptr nonnull dereferenceable(16) %b, ptr dereferenceable_or_null(8) readonly %c, ptr writeonly %d, ptr readnone captures(none) %e) { ret void }
define void @h(i32 range(i32 0, 5) %a, i64 range(i64 -10, 10) noundef %b, double nofpclass(nan inf) %c, float nofpclass(nan) %d) { ret void }
define void @i(ptr byref([4 x i8]) align 4 %a, ptr captures(ret: address, provenance) %b, ptr captures(address_is_null) %c, ptr swiftself %d) { ret void }
define ptr @j(ptr returned align 4 "key"="value" "flag" %a, ptr nofree noundef %b, ptr nest %c, ptr dead_on_unwind writable %d) { ret ptr %a }
define void @k(ptr initializes((0, 8), (16, 24)) %a, i32 %b, ptr allocptr %c, i64 allocalign %d) { ret void }
define void @l(ptr preallocated(i32) %a) { ret void }
define void @m(ptr inalloca(i32) %a) { ret void }
define swiftcc void @n(ptr swiftasync %a, ptr swifterror %b) { ret void }
define void @o(ptr align 1 captures(address, read_provenance) dead_on_return %p) { ret void }
define noundef range(i32 0, 2) i32 @r() { ret i32 1 }
define nofpclass(nan) double @q() { ret double 1.0 }
define noalias noundef nonnull align 16 dereferenceable(4) ptr @s(ptr %p) { ret ptr %p }
define void @t(ptr captures(none, ret: address) %p) { ret void }
