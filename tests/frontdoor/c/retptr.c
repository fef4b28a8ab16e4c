#include "check.h"
extern double __enzyme_autodiff(void*, ...);
__attribute__((noinline)) double* mk(double x, int n) {
  double* p = (double*)malloc(n * 8);
  for (int i = 0; i < n; i++) p[i] = x * i;
  return p;
}
double f(double x) {
  double* p = mk(x, 4);
  double s = p[2] * p[3];
  free(p);
  return s;
}
int main() {
  double x = 1.1;
  EQUAL(__enzyme_autodiff((void*)f, x), 12 * x);
  FINISH
}
