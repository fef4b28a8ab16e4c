#include "modes.h"
#include <complex.h>
double f(double* x) {
  double complex z = x[0] + I * x[1];
  double complex w = cexp(z) * csin(z) + csqrt(z) / clog(z + 2) + cpow(z, 1.5);
  w += ccosh(z) * conj(z) - ctanh(z);
  return creal(w) * cimag(w) + carg(w) + cabs(w);
}
int main() {
  CHECK_MODES(f, 2, 0.5, 0.7)
  FINISH
}
