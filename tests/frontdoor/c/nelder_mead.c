#include "modes.h"
// A simplex that moves by comparisons; the result depends smoothly on its start.
static double cost(const double* p) { return (p[0] - 1) * (p[0] - 1) + 3 * (p[1] + 0.5) * (p[1] + 0.5) + p[0] * p[1]; }
double f(double* x) {
  double s[3][2] = {{x[0], x[1]}, {x[0] + x[2], x[1]}, {x[0], x[1] + x[2]}}, v[3];
  for (int i = 0; i < 3; i++) v[i] = cost(s[i]);
  for (int k = 0; k < 12; k++) {
    int hi = 0, lo = 0;
    for (int i = 1; i < 3; i++) {
      if (v[i] > v[hi]) hi = i;
      if (v[i] < v[lo]) lo = i;
    }
    double c[2], r[2];
    for (int d = 0; d < 2; d++) {
      c[d] = (s[0][d] + s[1][d] + s[2][d] - s[hi][d]) / 2;
      r[d] = 2 * c[d] - s[hi][d];
    }
    double vr = cost(r);
    if (vr >= v[hi]) {
      for (int d = 0; d < 2; d++) r[d] = 0.5 * (c[d] + s[hi][d]);
      vr = cost(r);
    }
    s[hi][0] = r[0];
    s[hi][1] = r[1];
    v[hi] = vr;
  }
  return v[0] + v[1] * v[2] + s[0][0];
}
int main() {
  CHECK_MODES(f, 3, 0.31, 0.22, 0.43)
  FINISH
}
