#include "check.h"
extern double __enzyme_autodiff(void*, ...);
extern double __enzyme_fwddiff(void*, ...);
double f(double x, double* y, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += sin(x * y[i]);
  return s;
}
int main() {
  double y[3] = {1, 2, 3}, dy[3] = {0};
  double x = 0.7;
  double g = __enzyme_autodiff((void*)f, enzyme_out, x, enzyme_dup, y, dy, enzyme_const, 3);
  EQUAL(g, DIFFERENCE(f(x, y, 3), x, 1e-5));
  for (int i = 0; i < 3; i++) EQUAL(dy[i], DIFFERENCE(f(x, y, 3), (y[i]), 1e-5));
  double h = __enzyme_fwddiff((void*)f, enzyme_dup, x, 1.0, enzyme_const, y, 3);
  EQUAL(h, g);
  FINISH
}
