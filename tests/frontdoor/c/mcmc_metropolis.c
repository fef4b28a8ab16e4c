#include "modes.h"
// Proposals are accepted or not by a comparison with the state, which is active.
static double noise(int i) { return fmod(i * 0.6180339887 + 0.31, 1.0); }
double f(double* x) {
  double at = x[0], mean = 0;
  for (int i = 0; i < 40; i++) {
    double to = at + (noise(2 * i) - 0.5) * x[1];
    double ratio = exp(0.5 * (at * at - to * to) * x[2]);
    if (noise(2 * i + 1) < ratio) at = to;
    mean += at * at;
  }
  return mean / 40;
}
int main() {
  CHECK_MODES(f, 3, 0.3, 1.5, 0.8)
  FINISH
}
