#include "modes.h"
// Rotations of Jacobi's method until the matrix is diagonal.
double f(double* x) {
  double a[3][3] = {{x[0], x[3], 0.2}, {x[3], x[1], 0.5}, {0.2, 0.5, x[2]}};
  for (int sweep = 0; sweep < 30; sweep++) {
    double off = a[0][1] * a[0][1] + a[0][2] * a[0][2] + a[1][2] * a[1][2];
    if (off < 1e-22) break;
    for (int p = 0; p < 2; p++)
      for (int q = p + 1; q < 3; q++) {
        if (fabs(a[p][q]) < 1e-14) continue;
        double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
        double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
        double c = 1 / sqrt(t * t + 1), s = t * c;
        for (int k = 0; k < 3; k++) {
          double u = a[k][p], v = a[k][q];
          a[k][p] = c * u - s * v;
          a[k][q] = s * u + c * v;
        }
        for (int k = 0; k < 3; k++) {
          double u = a[p][k], v = a[q][k];
          a[p][k] = c * u - s * v;
          a[q][k] = s * u + c * v;
        }
      }
  }
  return a[0][0] * a[0][0] * a[0][0] + a[1][1] * a[2][2];
}
int main() {
  CHECK_MODES(f, 4, 0.31, 1.62, -0.43, 0.4)
  FINISH
}
