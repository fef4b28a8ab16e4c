#include "check.h"
extern double __enzyme_autodiff(void*, ...);
double f(double x, int n) {
  double* p = (double*)malloc(8);
  p[0] = x;
  for (int i = 1; i < n; i++) {
    p = (double*)realloc(p, (i + 1) * 8);
    p[i] = p[i - 1] * x;
  }
  double s = 0;
  for (int i = 0; i < n; i++) s += p[i];
  free(p);
  return s;
}
int main() {
  double x = 0.9;
  EQUAL(__enzyme_autodiff((void*)f, x, 5), DIFFERENCE(f(x, 5), x, 1e-5));
  FINISH
}
