define i32 @f(i32 %x) {
  call void asm "nop", ""()
  call void asm sideeffect "nop", "~{memory}"() #0
  %1 = call i32 asm "bswap $0", "=r,r"(i32 %x)
  %2 = call { i32, i32 } asm sideeffect alignstack inteldialect "cpuid\0A\09x", "=r,=r,r"(i32 %x)
  call void asm sideeffect unwind "call x", ""()
  %3 = extractvalue { i32, i32 } %2, 0
  callbr void asm sideeffect "jmp ${0:l}", "!i,~{flags}"() to label %next [label %other]
next:
  %4 = callbr i32 asm "x $0 ${1:l}", "=r,!i,!i"() to label %end [label %other, label %third]
end:
  ret i32 %4
other:
  ret i32 %3
third:
  ret i32 0
}
module asm ".globl foo"
module asm "foo: .quad 0 ; not a comment \22q\22"
attributes #0 = { nounwind }
