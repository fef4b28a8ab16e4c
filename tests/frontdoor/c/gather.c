#include "check.h"
// flags: -march=native  -ffast-math
extern void __enzyme_autodiff(void*, ...);
double f(double* restrict x, int* restrict idx, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += x[idx[i]] * x[i];
  return s;
}
int main() {
  double x[16], d[16] = {0};
  int idx[16];
  for (int i = 0; i < 16; i++) {
    x[i] = .1 * i + .2;
    idx[i] = (i * 7) & 15;
  }
  __enzyme_autodiff((void*)f, x, d, enzyme_const, idx, 16);
  for (int i = 0; i < 16; i++) EQUAL(d[i], DIFFERENCE(f(x, idx, 16), (x[i]), 1e-6));
  FINISH
}
