#include "check.h"
#include <stdarg.h>
extern double __enzyme_autodiff(void*, ...);
__attribute__((noinline)) static double sum(int n, ...) {
  va_list v;
  va_start(v, n);
  double s = 0;
  for (int i = 0; i < n; i++) s += va_arg(v, double);
  va_end(v);
  return s;
}
double f(double x) { return sum(2, x, x * x); }
int main() {
  EQUAL(__enzyme_autodiff((void*)f, 2.0), 5);
  FINISH
}
