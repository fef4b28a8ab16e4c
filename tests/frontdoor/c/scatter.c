#include "check.h"
// flags: -march=native  -ffast-math
extern void __enzyme_autodiff(void*, ...);
typedef double v4 __attribute__((vector_size(32)));
double f(double* restrict x, double* restrict y, int* restrict idx, int n) {
  for (int i = 0; i < n; i++)
    if (x[i] > .5) y[idx[i]] = x[i] * x[idx[i]];
  double s = 0;
  for (int i = 0; i < n; i++) s += y[i] * y[i];
  return s;
}
double run(double* x, int* idx) {
  double y[16] = {0};
  return f(x, y, idx, 16);
}
int main() {
  double x[16], d[16] = {0}, y[16] = {0}, dy[16] = {0};
  int idx[16];
  for (int i = 0; i < 16; i++) {
    x[i] = .1 * i + .22;
    idx[i] = (i * 7) & 15;
  }
  __enzyme_autodiff((void*)f, x, d, y, dy, enzyme_const, idx, 16);
  for (int i = 0; i < 16; i++) EQUAL(d[i], DIFFERENCE(run(x, idx), (x[i]), 1e-6));
  FINISH
}
