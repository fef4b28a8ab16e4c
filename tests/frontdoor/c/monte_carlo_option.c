#include "modes.h"
// Paths with numbers of a generator of our own; half of them by Box and Muller's method.
static uint64_t state;
static double uniform(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (state >> 11) * 0x1p-53;
}
static double normal(void) { return sqrt(-2 * log(uniform() + 1e-12)) * cos(2 * M_PI * uniform()); }
double f(double* x) {
  state = 88172645463325252ull;
  double sum = 0;
  for (int path = 0; path < 20; path++) {
    double s = x[0];
    for (int t = 0; t < 5; t++) s *= exp((x[1] - 0.5 * x[2] * x[2]) * 0.2 + x[2] * sqrt(0.2) * normal());
    sum += s > x[3] ? s - x[3] : 0;
  }
  return exp(-x[1]) * sum / 20;
}
int main() {
  CHECK_MODES(f, 4, 100, 0.05, 0.2, 95)
  FINISH
}
