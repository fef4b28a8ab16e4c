#include "check.h"
extern void __enzyme_autodiff(void*, ...);
double f(double* x, double* y, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    x[i] = y[n - 1 - i] * 2 + x[i];
    s += x[i] * y[i];
  }
  return s;
}
double run(double* v) {
  double c[3];
  memcpy(c, v, 24);
  return f(c, c, 3);
}
int main() {
  double v[3] = {1, 2, 3}, w[3] = {1, 2, 3}, d[3] = {0};
  __enzyme_autodiff((void*)f, v, d, v, d, 3);
  for (int i = 0; i < 3; i++) EQUAL(d[i], DIFFERENCE(run(w), (w[i]), 1e-5));
  FINISH
}
