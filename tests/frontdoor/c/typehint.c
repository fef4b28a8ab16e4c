#include "check.h"
extern void __enzyme_autodiff(void*, ...);
extern void __enzyme_double(void*, ...);
extern double __enzyme_ignore_derivatives(double);
double f(double* x) {
  __enzyme_double(x, 8);
  double y = __enzyme_ignore_derivatives(x[0]);
  return x[0] * y;
}
int main() {
  double x = 3, d = 0;
  __enzyme_autodiff((void*)f, &x, &d);
  EQUAL(d, 3);
  FINISH
}
