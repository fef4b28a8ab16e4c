#include "modes.h"
// A tridiagonal system, solved in the memory of its bands; restrict says that they do not overlap.
static void solve(int n, const double* restrict a, double* restrict b, double* restrict c, double* restrict d) {
  for (int i = 1; i < n; i++) {
    double w = a[i] / b[i - 1];
    b[i] -= w * c[i - 1];
    d[i] -= w * d[i - 1];
  }
  d[n - 1] /= b[n - 1];
  for (int i = n - 2; i >= 0; i--) d[i] = (d[i] - c[i] * d[i + 1]) / b[i];
}
double f(double* x) {
  int n = 6;
  double* m = malloc(4 * n * sizeof *m);
  for (int i = 0; i < n; i++) {
    m[i] = -x[0];
    m[n + i] = 3 + x[1] * i;
    m[2 * n + i] = -1;
    m[3 * n + i] = x[2] * i + 1;
  }
  for (int step = 0; step < 3; step++) {
    double b[6], c[6];
    memcpy(b, m + n, sizeof b);
    memcpy(c, m + 2 * n, sizeof c);
    solve(n, m, b, c, m + 3 * n);
  }
  double s = 0;
  for (int i = 0; i < n; i++) s += m[3 * n + i] * (i + 1);
  free(m);
  return s;
}
int main() {
  CHECK_MODES(f, 3, 0.5, 0.3, 0.7)
  FINISH
}
