%opaque = type opaque
%empty = type {}
%packed = type <{ i8, i64 }>
%packedempty = type <{}>
%fwd = type { ptr, %later }
%later = type { i32, [0 x i8] }
%0 = type { i32 }
%1 = type { %0, %packed }
%fn = type { ptr, ptr addrspace(2) }
@a = external global %opaque
@b = global %empty zeroinitializer
@c = global %packed <{ i8 1, i64 2 }>
@d = global %fwd { ptr null, %later { i32 1, [0 x i8] zeroinitializer } }
@e = global %1 zeroinitializer
@f = external global %fn
@g = external global %packedempty
define %later @use(%fwd %x) {
  %1 = extractvalue %fwd %x, 1
  ret %later %1
}
