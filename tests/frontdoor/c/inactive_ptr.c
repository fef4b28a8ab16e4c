#include "check.h"
extern double __enzyme_autodiff(void*, ...);
__attribute__((noinline)) void logit(double* x, double v) {
  x[0] = v;
  x[1] += 1;
}
void* __enzyme_inactivefn_a[1] = {(void*)logit};
double f(double* x) {
  double a = x[0];
  double b = x[0] * a;
  logit(x, 5.0);
  return b + x[0] * a;
}
int main() {
  double x[2] = {0.7, 0}, d[2] = {0};
  double r = f(x);
  x[0] = 0.7;
  x[1] = 0;
  __enzyme_autodiff((void*)f, x, d);
  EQUAL(x[1], 1);
  FINISH
}
