#include "check.h"
extern double __enzyme_autodiff(void*, ...);
double f(double x) {
  double* p = calloc(4, 8);
  double* q = aligned_alloc(64, 64);
  q[0] = x;
  p[1] = q[0] * x;
  p[2] += p[1] * p[1];
  double r = p[2] + p[3];
  free(p);
  free(q);
  return r;
}
int main() {
  double x = 1.1;
  EQUAL(__enzyme_autodiff((void*)f, x), 4 * x * x * x);
  FINISH
}
