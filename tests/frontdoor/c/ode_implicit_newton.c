#include "modes.h"
// Backward Euler: Newton's iteration within each step until it stands still.
double f(double* x) {
  double y = x[0];
  for (int step = 0; step < 10; step++) {
    double next = y;
    for (int i = 0; i < 50; i++) {
      double residual = next - y - 0.1 * (-x[1] * next * next * next + x[2]);
      double slope = 1 + 0.3 * x[1] * next * next;
      double change = residual / slope;
      next -= change;
      if (fabs(change) < 1e-14) break;
    }
    y = next;
  }
  return y * y;
}
int main() {
  CHECK_MODES(f, 3, 1.5, 2, 0.3)
  FINISH
}
