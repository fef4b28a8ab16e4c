#include "check.h"
// flags: -march=native
extern void __enzyme_autodiff(void*, ...);
double f(double* restrict x, double* restrict y, int n) {
  double s = 0;
  for (int i = 0; i < n; i++)
    if (x[i] > 0) {
      y[i] = x[i] * x[i];
      s += sqrt(x[i]);
    }
  return s + y[1];
}
int main() {
  double x[19], d[19] = {0}, y[19] = {0}, dy[19] = {0};
  for (int i = 0; i < 19; i++) x[i] = i % 3 ? .1 * i : -.1;
  __enzyme_autodiff((void*)f, x, d, y, dy, 19);
  for (int i = 0; i < 19; i++) EQUAL(d[i], x[i] > 0 ? .5 / sqrt(x[i]) + (i == 1 ? 2 * x[i] : 0) : 0);
  FINISH
}
