#include "modes.h"
// A cosine transform with a table that is filled when it is first needed.
static double table[8][8];
static int filled;
static void fill(void) {
  if (filled) return;
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 8; j++) table[i][j] = cos(M_PI * (j + 0.5) * i / 8);
  filled = 1;
}
double f(double* x) {
  fill();
  double s = 0;
  for (int i = 0; i < 8; i++) {
    double c = 0;
    for (int j = 0; j < 8; j++) c += table[i][j] * x[j % 4];
    s += i % 2 ? fabs(c) : c * c;
  }
  return s;
}
int main() {
  CHECK_MODES(f, 4, 1, 2, -0.5, 0.25)
  FINISH
}
