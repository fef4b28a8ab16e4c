#include "check.h"
#include <complex.h>
extern void __enzyme_autodiff(void*, ...);
double f(double _Complex* z, int n) {
  double _Complex s = 0;
  for (int i = 0; i < n; i++) s += z[i] * z[i] + conj(z[i]) * 2.0;
  return creal(s) * creal(s) + cimag(s);
}
int main() {
  double _Complex z[2] = {1 + 2 * I, .5 - I}, d[2] = {0};
  __enzyme_autodiff((void*)f, z, d, 2);
  double* p = (double*)z;
  double* q = (double*)d;
  for (int i = 0; i < 4; i++) EQUAL(q[i], DIFFERENCE(f(z, 2), (p[i]), 1e-5));
  FINISH
}
