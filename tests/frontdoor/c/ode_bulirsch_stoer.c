#include "modes.h"
// Modified midpoint with extrapolation in a triangular table of variable length.
static double midpoint(double y, double k, double h, int n) {
  double step = h / n, before = y, now = y + step * (-k * y + sin(y));
  for (int i = 1; i < n; i++) {
    double next = before + 2 * step * (-k * now + sin(now));
    before = now;
    now = next;
  }
  return 0.5 * (now + before + step * (-k * now + sin(now)));
}
double f(double* x) {
  int rows = 4;
  double table[rows][rows];
  for (int i = 0; i < rows; i++) {
    table[i][0] = midpoint(x[0], x[1], 1.0, 2 * (i + 1));
    for (int j = 1; j <= i; j++) {
      double r = (double)(i + 1) / (i + 1 - j);
      table[i][j] = table[i][j - 1] + (table[i][j - 1] - table[i - 1][j - 1]) / (r * r - 1);
    }
  }
  return table[rows - 1][rows - 1] * x[0];
}
int main() {
  CHECK_MODES(f, 2, 0.8, 1.3)
  FINISH
}
