%in = type { double, [2 x i32] }
%out = type { i8, %in, ptr }
define %out @f(%out %a, %in %b, double %d) {
  %1 = extractvalue %out %a, 1
  %2 = extractvalue %out %a, 1, 1, 0
  %3 = insertvalue %out %a, %in %b, 1
  %4 = insertvalue %out %3, double %d, 1, 0
  %5 = insertvalue %out poison, ptr null, 2
  %6 = insertvalue [2 x [3 x i8]] undef, i8 1, 1, 2
  %7 = extractvalue [2 x [3 x i8]] %6, 0
  %8 = insertvalue { double, double } { double 1.0, double undef }, double %d, 1
  %9 = freeze %out %4
  %10 = select i1 true, %out %9, %out %4
  ret %out %10
}
define { i64, ptr } @g(ptr %p) {
  %1 = insertvalue { i64, ptr } { i64 8, ptr undef }, ptr %p, 1, !md !0
  ret { i64, ptr } %1
}
!0 = !{}
