target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
%pair = type { i32, double }
define double @f(ptr %p, i64 %n) {
  %a = alloca i32
  %b = alloca double, align 16
  %c = alloca i8, i64 %n, align 1
  %d = alloca [4 x %pair], i32 2
  store i32 1, ptr %a
  store volatile i32 2, ptr %a, align 4
  store double 0.0, ptr %b, align 8, !nontemporal !0
  %1 = load i32, ptr %a, align 4
  %2 = load volatile i8, ptr %c
  %3 = getelementptr %pair, ptr %d, i64 %n, i32 1
  %4 = getelementptr inbounds [4 x %pair], ptr %d, i64 0, i64 1, i32 0
  %5 = getelementptr inbounds nuw i8, ptr %p, i64 8
  %6 = getelementptr nusw i8, ptr %p, i64 -8
  %7 = getelementptr nusw nuw i8, ptr %p, i64 8
  %8 = getelementptr nuw double, ptr %p, i64 %n
  %9 = load double, ptr %3, align 1, !invariant.load !1
  ret double %9
}
!0 = !{i32 1}
!1 = !{}
