#include "check.h"
extern void __enzyme_autodiff(void*, ...);
double f(double* x, int n) {
  memmove(x + 1, x, (n - 1) * sizeof(double));
  double s = 0;
  for (int i = 0; i < n; i++) s += x[i] * x[i] * (i + 1);
  return s;
}
int main() {
  double x[4] = {1, 2, 3, 4}, d[4] = {0};
  __enzyme_autodiff((void*)f, x, d, 4);
  EQUAL(d[0], 2 * 1 * 1 + 2 * 2 * 1);
  EQUAL(d[1], 2 * 2 * 3);
  EQUAL(d[2], 2 * 3 * 4);
  EQUAL(d[3], 0);
  FINISH
}
