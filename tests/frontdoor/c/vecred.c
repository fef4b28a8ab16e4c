#include "check.h"
extern double __enzyme_autodiff(void*, ...);
double f(double* x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += x[i] * x[i] * x[i];
  double m = 0;
  for (int i = 0; i < n; i++) m = m > x[i] ? m : x[i];
  return s * m;
}
int main() {
  double x[17], d[17] = {0};
  for (int i = 0; i < 17; i++) x[i] = 0.1 * i + 0.2;
  __enzyme_autodiff((void*)f, x, d, 17);
  for (int i = 0; i < 17; i++) EQUAL(d[i], DIFFERENCE(f(x, 17), (x[i]), 1e-6));
  FINISH
}
