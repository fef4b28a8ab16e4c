@a = global i32 u0xFF
@b = global i32 s0x0FF
@c = global i16 -0
@d = global i8 255
