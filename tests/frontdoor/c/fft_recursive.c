#include "modes.h"
#include <complex.h>
// Radix 2, recursive, with the halves in memory of the call.
static void transform(double complex* x, int n) {
  if (n == 1) return;
  double complex* half = malloc(n * sizeof *half);
  for (int i = 0; i < n / 2; i++) {
    half[i] = x[2 * i];
    half[n / 2 + i] = x[2 * i + 1];
  }
  transform(half, n / 2);
  transform(half + n / 2, n / 2);
  for (int i = 0; i < n / 2; i++) {
    double complex w = cos(2 * M_PI * i / n) - I * sin(2 * M_PI * i / n);
    double complex t = w * half[n / 2 + i];
    x[i] = half[i] + t;
    x[n / 2 + i] = half[i] - t;
  }
  free(half);
}
double f(double* x) {
  double complex z[8];
  for (int i = 0; i < 8; i++) z[i] = x[i % 4] * (i + 1) + I * x[(i + 1) % 4];
  transform(z, 8);
  double s = 0;
  for (int i = 0; i < 8; i++) s += (creal(z[i]) * creal(z[i]) + cimag(z[i]) * cimag(z[i])) / (1 + i);
  return log(s);
}
int main() {
  CHECK_MODES(f, 4, 0.5, -1, 2, 0.25)
  FINISH
}
