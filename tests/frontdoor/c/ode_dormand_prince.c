#include "modes.h"
// Steps of order 5 with an estimate of order 4; the size of steps follows the error, which is a number of the program.
static void field(const double* y, const double* p, double* dy) {
  dy[0] = p[0] * y[0] - p[1] * y[0] * y[1];
  dy[1] = -y[1] + 0.5 * y[0] * y[1];
}
static const double a[6][6] = {{0},
                               {1. / 5},
                               {3. / 40, 9. / 40},
                               {44. / 45, -56. / 15, 32. / 9},
                               {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
                               {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656}};
static const double b5[6] = {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84};
static const double b4[6] = {5179. / 57600, 0, 7571. / 16695, 393. / 640, -92097. / 339200, 187. / 2100};
double f(double* p) {
  double y[2] = {p[2], 1}, k[6][2], t = 0, h = 0.3;
  int steps = 0;
  while (t < 2 && steps++ < 100) {
    if (t + h > 2) h = 2 - t;
    for (int s = 0; s < 6; s++) {
      double at[2] = {y[0], y[1]};
      for (int j = 0; j < s; j++)
        for (int c = 0; c < 2; c++) at[c] += h * a[s][j] * k[j][c];
      field(at, p, k[s]);
    }
    double error = 0, next[2];
    for (int c = 0; c < 2; c++) {
      double low = y[c];
      next[c] = y[c];
      for (int s = 0; s < 6; s++) {
        next[c] += h * b5[s] * k[s][c];
        low += h * b4[s] * k[s][c];
      }
      error = fmax(error, fabs(next[c] - low));
    }
    if (error > 1e-2) {
      h /= 2;
      continue;
    }
    t += h;
    y[0] = next[0];
    y[1] = next[1];
  }
  return y[0] + 2 * y[1];
}
int main() {
  CHECK_MODES(f, 3, 1.1, 0.4, 2)
  FINISH
}
