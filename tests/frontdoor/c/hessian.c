#include "check.h"
extern void __enzyme_autodiff(void*, ...);
extern void __enzyme_fwddiff(void*, ...);
double f(double* x) { return x[0] * x[0] * x[1] + exp(x[0] * x[1]); }
void grad(double* x, double* g) {
  g[0] = g[1] = 0;
  __enzyme_autodiff((void*)f, enzyme_dup, x, g);
}
int main() {
  double x[2] = {.4, .3}, v[2] = {1, 0}, g[2], h[2] = {0, 0};
  __enzyme_fwddiff((void*)grad, enzyme_dup, x, v, enzyme_dupnoneed, g, h);
  EQUAL(h[0], DIFFERENCE((grad(x, g), g[0]), (x[0]), 1e-5));
  EQUAL(h[1], DIFFERENCE((grad(x, g), g[1]), (x[0]), 1e-5));
  FINISH
}
