#include "modes.h"
// Strings are made and printed between numbers.
double f(double* x) {
  char line[64];
  double s = 0;
  for (int i = 0; i < 3; i++) {
    s += x[i] * x[i] * x[(i + 1) % 3];
    int n = snprintf(line, sizeof line, "%d: %.3f", i, s);
    if (n > 60) s = 0;
    if (strlen(line) > 1 && line[0] == '1') s *= 2;
    fprintf(stderr, "%s %g\n", line, x[i]);
  }
  return s;
}
int main() {
  CHECK_MODES(f, 3, 1, 2, -0.5)
  FINISH
}
