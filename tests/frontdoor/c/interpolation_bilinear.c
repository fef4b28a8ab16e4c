#include "modes.h"
// Both the table and the place in it are active.
double f(double* x) {
  double grid[4][4];
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) grid[i][j] = sin(x[2] * i) + x[3] * j * j;
  double s = 0;
  for (int k = 0; k < 3; k++) {
    double u = x[0] + 0.3 * k, v = x[1] * (k + 1);
    int i = (int)floor(u), j = (int)floor(v);
    double a = u - i, b = v - j;
    s += (1 - a) * (1 - b) * grid[i][j] + a * (1 - b) * grid[i + 1][j] + (1 - a) * b * grid[i][j + 1] + a * b * grid[i + 1][j + 1];
  }
  return s * s;
}
int main() {
  CHECK_MODES(f, 4, 1.15, 0.7, 0.8, 0.2)
  FINISH
}
