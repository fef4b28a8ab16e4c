#include "modes.h"
#include <complex.h>
// Durand and Kerner's simultaneous iteration for the roots of a polynomial.
double f(double* x) {
  double complex root[3] = {1, 0.4 + 0.9 * I, (0.4 + 0.9 * I) * (0.4 + 0.9 * I)};
  for (int k = 0; k < 30; k++)
    for (int i = 0; i < 3; i++) {
      double complex z = root[i], p = ((z + x[0]) * z + x[1]) * z + x[2], q = 1;
      for (int j = 0; j < 3; j++)
        if (j != i) q *= z - root[j];
      root[i] = z - p / q;
    }
  double s = 0;
  for (int i = 0; i < 3; i++) s += cabs(root[i]) * cabs(root[i]);
  return s;
}
int main() {
  CHECK_MODES(f, 3, 0.5, -1, 0.7)
  FINISH
}
