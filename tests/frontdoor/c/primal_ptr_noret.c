#include "check.h"
typedef struct {
  double p;
} R1;
extern double __enzyme_autodiff(void*, ...);
double f(double* x) {
  x[0] *= 2;
  return x[0] * x[1];
}
int main() {
  double x[2] = {1, 2}, d[2] = {0};
  double p = __enzyme_autodiff((void*)f, enzyme_primal_return, enzyme_dup, x, d);
  EQUAL(p, 4);
  EQUAL(d[0], 4);
  EQUAL(d[1], 2);
  EQUAL(x[0], 2);
  FINISH
}
