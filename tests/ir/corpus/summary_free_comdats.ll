$a.b-c = comdat any
$_ZTV = comdat any
@_ZTV = linkonce_odr unnamed_addr constant { [2 x ptr] } zeroinitializer, comdat, align 8
define linkonce_odr void @a.b-c() comdat { ret void }
