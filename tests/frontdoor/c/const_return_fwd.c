#include "check.h"
extern void __enzyme_fwddiff(void*, ...);
double f(double* x) {
  x[0] = x[0] * x[0];
  return x[0];
}
int main() {
  double x = 3, d = 1;
  __enzyme_fwddiff((void*)f, enzyme_const_return, enzyme_dup, &x, &d);
  EQUAL(d, 6);
  EQUAL(x, 9);
  FINISH
}
