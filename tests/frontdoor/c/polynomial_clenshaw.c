#include "modes.h"
// Sums of Chebyshev polynomials, and a continued fraction by Lentz's method.
static double clenshaw(const double* c, int n, double t) {
  double a = 0, b = 0;
  for (int k = n - 1; k > 0; k--) {
    double next = 2 * t * a - b + c[k];
    b = a;
    a = next;
  }
  return t * a - b + 0.5 * c[0];
}
static double lentz(double t) {
  double g = 1e-30, c = g, d = 0;
  for (int i = 1; i < 60; i++) {
    double a = i == 1 ? 1 : (i - 1) * t, b = i % 2 ? 1 : 2;
    d = 1 / (b + a * d);
    c = b + a / c;
    double change = c * d;
    g *= change;
    if (fabs(change - 1) < 1e-15) break;
  }
  return g;
}
double f(double* x) { return clenshaw(x, 4, tanh(x[0])) * lentz(x[1] * x[1]); }
int main() {
  CHECK_MODES(f, 4, 0.31, 0.62, 0.43, 1.2)
  FINISH
}
