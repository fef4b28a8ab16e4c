#include "modes.h"
// axpy, dot, scale, swap, rotation with negative strides and over parts of one array.
static void axpy(int n, double a, const double* x, int ix, double* y, int iy) {
  if (ix < 0) x -= (n - 1) * ix;
  if (iy < 0) y -= (n - 1) * iy;
  for (int i = 0; i < n; i++) y[i * iy] += a * x[i * ix];
}
static void rotate(int n, double* x, double* y, double c, double s) {
  for (int i = 0; i < n; i++) {
    double t = c * x[i] + s * y[i];
    y[i] = c * y[i] - s * x[i];
    x[i] = t;
  }
}
double f(double* x) {
  double v[8];
  for (int i = 0; i < 8; i++) v[i] = x[i % 3] * (1 + 0.1 * i);
  axpy(4, x[0], v, -1, v + 4, 1);
  axpy(3, -0.5, v + 1, 2, v, 1);
  rotate(4, v, v + 4, cos(x[1]), sin(x[1]));
  double s = 0;
  for (int i = 0; i < 8; i++) s += v[i] * v[i] * v[i];
  return s;
}
int main() {
  CHECK_MODES(f, 3, 0.5, -1, 0.7)
  FINISH
}
