#include "check.h"
extern double __enzyme_autodiff(void*, ...);
static void rhs(const double* y, double p, double* dy) {
  dy[0] = y[1];
  dy[1] = -p * y[0] - 0.1 * y[1];
}
double f(double p) {
  double y[2] = {1, 0}, t = 0, h = .1;
  while (t < 1) {
    if (t + h > 1) h = 1 - t;
    double k1[2], k2[2], m[2];
    rhs(y, p, k1);
    for (int i = 0; i < 2; i++) m[i] = y[i] + h * k1[i];
    rhs(m, p, k2);
    double e = 0;
    for (int i = 0; i < 2; i++) {
      double d = h * (k2[i] - k1[i]) / 2;
      e += d * d;
    }
    if (e > 1e-4) {
      h *= .5;
      continue;
    }
    for (int i = 0; i < 2; i++) y[i] += h * (k1[i] + k2[i]) / 2;
    t += h;
    h = .1;
  }
  return y[0] * y[0] + y[1];
}
int main() {
  double p = 2;
  EQUAL(__enzyme_autodiff((void*)f, p), DIFFERENCE(f(p), p, 1e-6));
  FINISH
}
