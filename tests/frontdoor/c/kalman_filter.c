#include "modes.h"
// Two states, one measurement; structures by value.
typedef struct {
  double x[2], p[2][2];
} Estimate;
static Estimate predict(Estimate e, double q) {
  Estimate r = e;
  r.x[0] = e.x[0] + 0.1 * e.x[1];
  r.p[0][0] = e.p[0][0] + 0.1 * (e.p[0][1] + e.p[1][0]) + 0.01 * e.p[1][1] + q;
  r.p[0][1] = r.p[1][0] = e.p[0][1] + 0.1 * e.p[1][1];
  r.p[1][1] = e.p[1][1] + q;
  return r;
}
static Estimate update(Estimate e, double z, double r, double* loss) {
  double s = e.p[0][0] + r, y = z - e.x[0], k0 = e.p[0][0] / s, k1 = e.p[1][0] / s;
  *loss += y * y / s + log(s);
  Estimate u = e;
  u.x[0] += k0 * y;
  u.x[1] += k1 * y;
  for (int j = 0; j < 2; j++) {
    u.p[0][j] -= k0 * e.p[0][j];
    u.p[1][j] -= k1 * e.p[0][j];
  }
  return u;
}
double f(double* x) {
  Estimate e = {{x[0], 0}, {{1, 0}, {0, 1}}};
  double loss = 0;
  for (int t = 0; t < 8; t++) e = update(predict(e, exp(x[1])), sin(0.3 * t), exp(x[2]), &loss);
  return loss + e.x[1];
}
int main() {
  CHECK_MODES(f, 3, 0.3, -2, -1)
  FINISH
}
