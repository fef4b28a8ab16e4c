#include "modes.h"
// Scaling and squaring: how often depends on the norm.
static void multiply(double a[2][2], double b[2][2], double out[2][2]) {
  double t[2][2];
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) t[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j];
  memcpy(out, t, sizeof t);
}
double f(double* x) {
  double a[2][2] = {{x[0], x[1]}, {x[2], x[3]}}, norm = 0, e[2][2] = {{1, 0}, {0, 1}}, term[2][2] = {{1, 0}, {0, 1}};
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) norm = fmax(norm, fabs(a[i][j]));
  int squarings = 0;
  while (norm > 0.25) {
    norm /= 2;
    squarings++;
  }
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) a[i][j] = ldexp(a[i][j], -squarings);
  for (int k = 1; k < 12; k++) {
    multiply(term, a, term);
    for (int i = 0; i < 2; i++)
      for (int j = 0; j < 2; j++) e[i][j] += term[i][j] /= k;
  }
  while (squarings--) multiply(e, e, e);
  return e[0][0] * e[1][1] + e[0][1];
}
int main() {
  CHECK_MODES(f, 4, 0.31, 1.62, -0.43, 1.2)
  FINISH
}
