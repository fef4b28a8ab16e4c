#include "modes.h"
double f(double* x) {
  double a[4][4];
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) a[i][j] = exp(-x[0] * (i - j) * (i - j)) + (i == j ? x[1] : 0);
  double logdet = 0;
  for (int j = 0; j < 4; j++) {
    for (int k = 0; k < j; k++) a[j][j] -= a[j][k] * a[j][k];
    a[j][j] = sqrt(a[j][j]);
    logdet += 2 * log(a[j][j]);
    for (int i = j + 1; i < 4; i++) {
      for (int k = 0; k < j; k++) a[i][j] -= a[i][k] * a[j][k];
      a[i][j] /= a[j][j];
    }
  }
  double b[4] = {1, x[2], -1, 0.5};
  for (int i = 0; i < 4; i++) {
    for (int k = 0; k < i; k++) b[i] -= a[i][k] * b[k];
    b[i] /= a[i][i];
  }
  double quad = 0;
  for (int i = 0; i < 4; i++) quad += b[i] * b[i];
  return quad + logdet;
}
int main() {
  CHECK_MODES(f, 3, 0.5, 0.3, 0.7)
  FINISH
}
