#include "modes.h"
// Elimination in place with a search for pivots, rows exchanged by pointers.
double f(double* x) {
  double memory[4][4], *a[4], b[4];
  for (int i = 0; i < 4; i++) {
    a[i] = memory[i];
    for (int j = 0; j < 4; j++) a[i][j] = x[(i * j) % 3] + (i == j ? 0.1 : i - 2.0 * j);
    b[i] = x[i % 3];
  }
  for (int k = 0; k < 4; k++) {
    int p = k;
    for (int i = k + 1; i < 4; i++)
      if (fabs(a[i][k]) > fabs(a[p][k])) p = i;
    double* row = a[k];
    a[k] = a[p];
    a[p] = row;
    double t = b[k];
    b[k] = b[p];
    b[p] = t;
    for (int i = k + 1; i < 4; i++) {
      double m = a[i][k] /= a[k][k];
      for (int j = k + 1; j < 4; j++) a[i][j] -= m * a[k][j];
      b[i] -= m * b[k];
    }
  }
  for (int i = 3; i >= 0; i--) {
    for (int j = i + 1; j < 4; j++) b[i] -= a[i][j] * b[j];
    b[i] /= a[i][i];
  }
  return b[0] + b[1] * b[2] - b[3];
}
int main() {
  CHECK_MODES(f, 3, 0.5, -1.1, 0.7)
  FINISH
}
