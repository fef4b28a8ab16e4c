; arguments: [1.0 2.0 3.0 -1.0] [0.3 -0.6 0.9 0.1] [0.5 1.0 1.5 2.0] i64:2
; returns: void

define void @f(ptr noalias %a, ptr noalias %b, ptr noalias %c, i64 %n) {
entry:
  br label %il
il:
  %i = phi i64 [ 0, %entry ], [ %i1, %il.latch ]
  %ir = mul nsw i64 %i, %n
  br label %jl
jl:
  %j = phi i64 [ 0, %il ], [ %j1, %jl.latch ]
  %ij = add nsw i64 %ir, %j
  %pc = getelementptr inbounds double, ptr %c, i64 %ij
  br label %kl
kl:
  %k = phi i64 [ 0, %jl ], [ %k1, %kl ]
  %ik = add nsw i64 %ir, %k
  %kr = mul nsw i64 %k, %n
  %kj = add nsw i64 %kr, %j
  %pa = getelementptr inbounds double, ptr %a, i64 %ik
  %pb = getelementptr inbounds double, ptr %b, i64 %kj
  %va = load double, ptr %pa, align 8
  %vb = load double, ptr %pb, align 8
  %vc = load double, ptr %pc, align 8
  %m = fmul double %va, %vb
  %s = fadd double %vc, %m
  store double %s, ptr %pc, align 8
  %k1 = add nuw nsw i64 %k, 1
  %km = icmp slt i64 %k1, %n
  br i1 %km, label %kl, label %jl.latch
jl.latch:
  %j1 = add nuw nsw i64 %j, 1
  %jm = icmp slt i64 %j1, %n
  br i1 %jm, label %jl, label %il.latch
il.latch:
  %i1 = add nuw nsw i64 %i, 1
  %im = icmp slt i64 %i1, %n
  br i1 %im, label %il, label %end
end:
  ret void
}

declare void @__enzyme_autodiff(ptr, ...)
declare void @__enzyme_fwddiff(ptr, ...)

define void @reverse(ptr %a0, ptr %d0, ptr %a1, ptr %d1, ptr %a2, ptr %d2, i64 %a3, ptr %result) {
  call void (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %a0, ptr %d0, ptr %a1, ptr %d1, ptr %a2, ptr %d2, i64 %a3)
  ret void
}

define void @forward(ptr %a0, ptr %d0, ptr %a1, ptr %d1, ptr %a2, ptr %d2, i64 %a3, ptr %result) {
  call void (ptr, ...) @__enzyme_fwddiff(ptr @f, ptr %a0, ptr %d0, ptr %a1, ptr %d1, ptr %a2, ptr %d2, i64 %a3)
  ret void
}
