; clang -S -emit-llvm -O1 -Xclang -disable-llvm-passes of
;   #include <stdio.h>
;   extern double __enzyme_autodiff(void *, double);
;   double square(double x) { return x * x; }
;   int main() {
;     double x = 3.14;
;     printf("square'(%f) = %f\n", x, __enzyme_autodiff((void *)square, x));
;   }
; in its unoptimised form
source_filename = "square.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@.str = private unnamed_addr constant [18 x i8] c"square'(%f) = %f\0A\00", align 1

; Function Attrs: noinline nounwind optnone uwtable
define dso_local double @square(double noundef %0) #0 {
  %2 = alloca double, align 8
  store double %0, ptr %2, align 8
  %3 = load double, ptr %2, align 8
  %4 = load double, ptr %2, align 8
  %5 = fmul double %3, %4
  ret double %5
}

; Function Attrs: noinline nounwind optnone uwtable
define dso_local i32 @main() #0 {
  %1 = alloca double, align 8
  store double 3.140000e+00, ptr %1, align 8
  %2 = load double, ptr %1, align 8
  %3 = load double, ptr %1, align 8
  %4 = call double @__enzyme_autodiff(ptr noundef @square, double noundef %3)
  %5 = call i32 (ptr, ...) @printf(ptr noundef @.str, double noundef %2, double noundef %4)
  ret i32 0
}

declare i32 @printf(ptr noundef, ...) #1

declare double @__enzyme_autodiff(ptr noundef, double noundef) #1

attributes #0 = { noinline nounwind optnone uwtable "frame-pointer"="all" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }

!llvm.module.flags = !{!0, !1}
!llvm.ident = !{!2}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 8, !"PIC Level", i32 2}
!2 = !{!"clang version 18.1.3"}
