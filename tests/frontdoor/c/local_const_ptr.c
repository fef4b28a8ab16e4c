#include "check.h"
extern double __enzyme_autodiff(void*, ...);
static const double coef[4] = {1, -.5, .25, 2};
double f(const double* x, const int* idx, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += coef[i & 3] * x[idx[i]] * x[idx[i]];
  return s;
}
int main() {
  double x[3] = {1, 2, 3}, d[3] = {0};
  int idx[4] = {0, 2, 1, 2};
  __enzyme_autodiff((void*)f, enzyme_dup, x, d, enzyme_const, idx, enzyme_const, 4);
  for (int i = 0; i < 3; i++) EQUAL(d[i], DIFFERENCE(f(x, idx, 4), (x[i]), 1e-5));
  FINISH
}
