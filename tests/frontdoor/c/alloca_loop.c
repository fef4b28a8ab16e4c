#include "check.h"
extern double __enzyme_autodiff(void*, ...);
double f(double x, int n) {
  double s = x;
  for (int k = 1; k < n; k++) {
    double* t = (double*)__builtin_alloca(k * 8);
    for (int i = 0; i < k; i++) t[i] = s * (i + 1);
    double u = 0;
    for (int i = 0; i < k; i++) u += t[i] * t[k - 1 - i];
    s = sin(u);
  }
  return s;
}
int main() {
  double x = .6;
  EQUAL(__enzyme_autodiff((void*)f, x, 5), DIFFERENCE(f(x, 5), x, 1e-6));
  FINISH
}
