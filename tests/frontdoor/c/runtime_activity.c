#include "check.h"
extern void __enzyme_fwddiff(void*, ...);
extern double __enzyme_autodiff(void*, ...);
double f(double* x, double* c, int k) {
  double* p = k ? x : c;
  return *p * *p;
}
int main() {
  double x = 2, dx = 0, c = 3;
  __enzyme_autodiff((void*)f, enzyme_runtime_activity, enzyme_dup, &x, &dx, enzyme_const, &c, 1);
  EQUAL(dx, 4);
  dx = 0;
  __enzyme_autodiff((void*)f, enzyme_runtime_activity, enzyme_dup, &x, &dx, enzyme_const, &c, 0);
  EQUAL(dx, 0);
  EQUAL(c, 3);
  FINISH
}
