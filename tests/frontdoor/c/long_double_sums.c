#include "modes.h"
// Compensated summation, and sums in extended precision.
double f(double* x) {
  double s = 0, c = 0;
  long double wide = 0;
  for (int i = 0; i < 20; i++) {
    double y = x[i % 3] * x[i % 3] / (i + 1) - c, t = s + y;
    c = (t - s) - y;
    s = t;
    wide += (long double)x[i % 3] * i;
  }
  return s * (double)sqrtl(wide * wide + 1);
}
int main() {
  CHECK_MODES(f, 3, 0.5, 0.62, -0.1)
  FINISH
}
