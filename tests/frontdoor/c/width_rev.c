#include "check.h"
extern void __enzyme_autodiff(void*, ...);
void f(double* x, double* y) {
  y[0] = x[0] * x[1];
  y[1] = sin(x[0]);
}
int main() {
  double x[2] = {0.7, 0.3}, d0[2] = {0}, d1[2] = {0}, y[2], e0[2] = {1, 0}, e1[2] = {0, 1};
  __enzyme_autodiff((void*)f, enzyme_width, 2, enzyme_dup, x, d0, d1, enzyme_dup, y, e0, e1);
  EQUAL(d0[0], 0.3);
  EQUAL(d0[1], 0.7);
  EQUAL(d1[0], cos(0.7));
  EQUAL(d1[1], 0);
  FINISH
}
