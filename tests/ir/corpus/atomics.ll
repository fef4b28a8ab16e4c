define void @f(ptr %p, i32 %v, float %x) {
  %1 = load atomic i32, ptr %p seq_cst, align 4
  %2 = load atomic volatile i32, ptr %p syncscope("singlethread") acquire, align 4
  %3 = load atomic i32, ptr %p unordered, align 4
  store atomic i32 %v, ptr %p release, align 4
  store atomic volatile i32 %v, ptr %p syncscope("agent") monotonic, align 8
  fence seq_cst
  fence syncscope("singlethread") acq_rel
  %4 = cmpxchg ptr %p, i32 0, i32 %v seq_cst monotonic, align 4
  %5 = cmpxchg weak volatile ptr %p, i32 %1, i32 %v syncscope("x") acq_rel acquire, align 4
  %6 = extractvalue { i32, i1 } %5, 1
  %7 = atomicrmw add ptr %p, i32 %v monotonic, align 4
  %8 = atomicrmw volatile xchg ptr %p, i32 %v syncscope("y") acquire, align 4
  %9 = atomicrmw sub ptr %p, i32 1 release, align 4
  %10 = atomicrmw and ptr %p, i32 1 acq_rel, align 4
  %11 = atomicrmw nand ptr %p, i32 1 seq_cst, align 4
  %12 = atomicrmw or ptr %p, i32 1 seq_cst, align 4
  %13 = atomicrmw xor ptr %p, i32 1 seq_cst, align 4
  %14 = atomicrmw max ptr %p, i32 1 seq_cst, align 4
  %15 = atomicrmw min ptr %p, i32 1 seq_cst, align 4
  %16 = atomicrmw umax ptr %p, i32 1 seq_cst, align 4
  %17 = atomicrmw umin ptr %p, i32 1 seq_cst, align 4
  %18 = atomicrmw fadd ptr %p, float %x seq_cst, align 4
  %19 = atomicrmw fsub ptr %p, float 1.0 seq_cst, align 4
  %20 = atomicrmw fmax ptr %p, float %x seq_cst, align 4
  %21 = atomicrmw fmin ptr %p, float %x seq_cst, align 4
  %22 = atomicrmw uinc_wrap ptr %p, i32 %v seq_cst, align 4
  %23 = atomicrmw udec_wrap ptr %p, i32 %v seq_cst, align 4
  %24 = atomicrmw usub_cond ptr %p, i32 %v seq_cst, align 4
  %25 = atomicrmw usub_sat ptr %p, i32 %v seq_cst, align 4
  %26 = atomicrmw fmaximum ptr %p, float %x seq_cst, align 4
  %27 = atomicrmw fadd ptr %p, <2 x half> zeroinitializer seq_cst, align 4, !foo !0
  ret void
}
!0 = !{}
