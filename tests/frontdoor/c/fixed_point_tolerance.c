#include "modes.h"
// An iteration that ends when it stands still; restarts with a better guess.
static double solve(double a, double b, double guess, int* count) {
  double y = guess;
  for (;;) {
    double next = cos(a * y) * b + 0.1;
    ++*count;
    if (fabs(next - y) < 1e-13) return next;
    y = next;
  }
}
double f(double* x) {
  int count = 0;
  double y = 0;
  for (int i = 0; i < 3; i++) y = solve(x[0] + 0.1 * i, x[1], y, &count) * x[2];
  return y * y + (count < 0 ? 1 : 0);
}
int main() {
  CHECK_MODES(f, 3, 0.5, 0.62, 1.3)
  FINISH
}
