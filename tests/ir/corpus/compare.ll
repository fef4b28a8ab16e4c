define i1 @ints(i64 %a, i64 %b, ptr %p) {
  %e = icmp eq i64 %a, %b
  %n = icmp ne i64 %a, 0
  %1 = icmp ugt i64 %a, %b
  %2 = icmp uge i64 %a, %b
  %3 = icmp samesign ult i64 %a, %b
  %4 = icmp ule i64 %a, %b
  %5 = icmp sgt i64 %a, %b
  %6 = icmp sge i64 %a, %b
  %7 = icmp slt i64 %a, %b
  %8 = icmp sle i64 %a, %b
  %9 = icmp eq ptr %p, null
  ret i1 %9
}
define i1 @floats(double %a, double %b) {
  %1 = fcmp false double %a, %b
  %2 = fcmp oeq double %a, %b
  %3 = fcmp ogt double %a, %b
  %4 = fcmp oge double %a, %b
  %5 = fcmp olt double %a, %b
  %6 = fcmp ole double %a, %b
  %7 = fcmp one double %a, %b
  %8 = fcmp ord double %a, %b
  %9 = fcmp ueq double %a, %b
  %10 = fcmp ugt double %a, %b
  %11 = fcmp uge double %a, %b
  %12 = fcmp ult double %a, %b
  %13 = fcmp ule double %a, %b
  %14 = fcmp une double %a, %b
  %15 = fcmp uno double %a, 0.0
  %16 = fcmp true double %a, %b
  %17 = fcmp fast oeq double %a, %b
  %18 = fcmp nnan ninf olt double %a, %b
  ret i1 %18
}
define <4 x i1> @vectors(<4 x float> %a, <4 x i32> %b) {
  %1 = fcmp olt <4 x float> %a, zeroinitializer
  %2 = icmp sgt <4 x i32> %b, splat (i32 3)
  %3 = and <4 x i1> %1, %2
  ret <4 x i1> %3
}
