#include "modes.h"
typedef struct {
  double r[3], v[3], m;
} Body;
double f(double* x) {
  Body b[3];
  for (int i = 0; i < 3; i++)
    for (int d = 0; d < 3; d++) {
      b[i].r[d] = (i == d) * x[0] + 0.3 * i - 0.2 * d * i;
      b[i].v[d] = x[1] * (d - i) * 0.3;
      b[i].m = 1 + i * x[2];
    }
  for (int step = 0; step < 5; step++)
    for (int half = 0; half < 2; half++) {
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
          if (i == j) continue;
          double q[3], r2 = 0.01;
          for (int d = 0; d < 3; d++) {
            q[d] = b[j].r[d] - b[i].r[d];
            r2 += q[d] * q[d];
          }
          double pull = b[j].m / (r2 * sqrt(r2));
          for (int d = 0; d < 3; d++) b[i].v[d] += 0.005 * pull * q[d];
        }
      if (half == 0)
        for (int i = 0; i < 3; i++)
          for (int d = 0; d < 3; d++) b[i].r[d] += 0.01 * b[i].v[d];
    }
  double e = 0;
  for (int i = 0; i < 3; i++)
    for (int d = 0; d < 3; d++) e += b[i].m * b[i].v[d] * b[i].v[d] + b[i].r[d];
  return e;
}
int main() {
  CHECK_MODES(f, 3, 0.81, 0.62, 0.43)
  FINISH
}
