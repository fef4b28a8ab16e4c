target datalayout = "e-p1:32:32-A5-G1"
@g = addrspace(1) global i32 0
@h = addrspace(2) constant ptr addrspace(1) @g
define ptr addrspace(3) @f(ptr addrspace(1) %p, ptr addrspace(3) %q) {
  %a = alloca i32, align 4, addrspace(5)
  %b = alloca i32, i32 3, align 4, addrspace(5)
  store i32 1, ptr addrspace(5) %a
  %1 = load ptr addrspace(1), ptr addrspace(2) @h
  %2 = addrspacecast ptr addrspace(5) %b to ptr
  %3 = getelementptr i32, ptr addrspace(3) %q, i32 1
  %4 = atomicrmw add ptr addrspace(1) @g, i32 1 seq_cst, align 4
  ret ptr addrspace(3) %3
}
