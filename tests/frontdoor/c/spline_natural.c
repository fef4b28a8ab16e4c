#include "modes.h"
// A natural cubic spline through given points, searched by bisection.
double f(double* x) {
  enum { N = 6 };
  double t[N], y[N], m[N] = {0}, u[N] = {0};
  for (int i = 0; i < N; i++) {
    t[i] = i + 0.1 * i * i;
    y[i] = x[i % 4] * (1 + 0.2 * i);
  }
  for (int i = 1; i < N - 1; i++) {
    double h0 = t[i] - t[i - 1], h1 = t[i + 1] - t[i], s = h0 / (h0 + h1), p = s * m[i - 1] + 2;
    m[i] = (s - 1) / p;
    u[i] = (6 * ((y[i + 1] - y[i]) / h1 - (y[i] - y[i - 1]) / h0) / (h0 + h1) - s * u[i - 1]) / p;
  }
  for (int i = N - 2; i >= 0; i--) m[i] = m[i] * m[i + 1] + u[i];
  double s = 0;
  for (double at = 0.25; at < 7; at += 0.9) {
    int lo = 0, hi = N - 1;
    while (hi - lo > 1) {
      int k = (hi + lo) / 2;
      if (t[k] > at) hi = k;
      else lo = k;
    }
    double h = t[hi] - t[lo], a = (t[hi] - at) / h, b = (at - t[lo]) / h;
    double v = a * y[lo] + b * y[hi] + ((a * a * a - a) * m[lo] + (b * b * b - b) * m[hi]) * h * h / 6;
    s += v * v;
  }
  return s;
}
int main() {
  CHECK_MODES(f, 4, 0.5, -1, 0.7, 2)
  FINISH
}
