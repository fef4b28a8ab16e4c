#include "modes.h"
// Arrays whose sizes come with the call, two-dimensional ones among them.
static double trace(int n, double a[n][n], double b[n][n]) {
  double c[n][n];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      c[i][j] = 0;
      for (int k = 0; k < n; k++) c[i][j] += a[i][k] * b[k][j];
    }
  double s = 0;
  for (int i = 0; i < n; i++) s += c[i][i] * c[i][(i + 1) % n];
  return s;
}
double f(double* x) {
  double total = 0;
  for (int n = 1; n < 4; n++) {
    double a[n][n], b[n][n];
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        a[i][j] = x[(i + j) % 3];
        b[j][i] = x[i % 3] * j + n;
      }
    total += trace(n, a, b);
  }
  return total;
}
int main() {
  CHECK_MODES(f, 3, 0.5, -1, 0.7)
  FINISH
}
