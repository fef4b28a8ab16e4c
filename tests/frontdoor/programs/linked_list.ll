; arguments: 1.5 i64:4
; returns: double

declare noalias ptr @malloc(i64)
declare void @free(ptr)
define double @f(double %x, i64 %n) {
entry:
  br label %build
build:
  %i = phi i64 [ 0, %entry ], [ %i1, %build ]
  %h = phi ptr [ null, %entry ], [ %node, %build ]
  %v = phi double [ %x, %entry ], [ %v1, %build ]
  %node = call noalias ptr @malloc(i64 16)
  store double %v, ptr %node, align 8
  %pn = getelementptr inbounds i8, ptr %node, i64 8
  store ptr %h, ptr %pn, align 8
  %v1 = fmul double %v, %x
  %i1 = add nuw nsw i64 %i, 1
  %im = icmp slt i64 %i1, %n
  br i1 %im, label %build, label %walk
walk:
  %p = phi ptr [ %node, %build ], [ %next, %walk ]
  %s = phi double [ 1.000000e+00, %build ], [ %t, %walk ]
  %w = load double, ptr %p, align 8
  %t0 = fmul double %s, %w
  %t = fadd double %t0, %w
  %pp = getelementptr inbounds i8, ptr %p, i64 8
  %next = load ptr, ptr %pp, align 8
  %more = icmp ne ptr %next, null
  br i1 %more, label %walk, label %end
end:
  ret double %t
}

declare double @__enzyme_autodiff(ptr, ...)
declare double @__enzyme_fwddiff(ptr, ...)

define void @reverse(double %a0, i64 %a1, ptr %result) {
  %r = call double (ptr, ...) @__enzyme_autodiff(ptr @f, double %a0, i64 %a1)
  store double %r, ptr %result, align 4
  ret void
}

define void @forward(double %a0, double %d0, i64 %a1, ptr %result) {
  %r = call double (ptr, ...) @__enzyme_fwddiff(ptr @f, double %a0, double %d0, i64 %a1)
  store double %r, ptr %result, align 4
  ret void
}
