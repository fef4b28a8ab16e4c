#include "check.h"
extern double __enzyme_autodiff(void*, ...);
double f(double x, int n) {
  double* p;
  if (posix_memalign((void**)&p, 64, n * 8)) return 0;
  for (int i = 0; i < n; i++) p[i] = x * i * x;
  double s = 0;
  for (int i = 0; i < n; i++) s += p[i] * p[i];
  free(p);
  return s;
}
int main() {
  double x = 0.9;
  EQUAL(__enzyme_autodiff((void*)f, x, 5), DIFFERENCE(f(x, 5), x, 1e-5));
  FINISH
}
