#include "check.h"
extern void __enzyme_autodiff(void*, ...);
double f(double* x, double* y) {
  *y = *x * *x;
  return *x;
}
int main() {
  double x = 1.3, dx = 0, y = 0, dy = 1;
  __enzyme_autodiff((void*)f, enzyme_const_return, enzyme_dup, &x, &dx, enzyme_dup, &y, &dy);
  EQUAL(dx, 2 * x);
  EQUAL(dy, 0);
  FINISH
}
