#include "modes.h"
// A median of nine by a network of exchanges.
#define SORT(a, b)      \
  if (p[a] > p[b]) {    \
    double t = p[a];    \
    p[a] = p[b];        \
    p[b] = t;           \
  }
static double median(const double* v) {
  double p[9];
  memcpy(p, v, sizeof p);
  SORT(1, 2) SORT(4, 5) SORT(7, 8) SORT(0, 1) SORT(3, 4) SORT(6, 7) SORT(1, 2) SORT(4, 5) SORT(7, 8)
  SORT(0, 3) SORT(5, 8) SORT(4, 7) SORT(3, 6) SORT(1, 4) SORT(2, 5) SORT(4, 7) SORT(4, 2) SORT(6, 4) SORT(4, 2)
  return p[4];
}
double f(double* x) {
  double v[12], s = 0;
  for (int i = 0; i < 12; i++) v[i] = x[i % 4] * (1 + (i * 5) % 7) + 0.01 * i;
  for (int i = 0; i < 3; i++) s += median(v + i) * median(v + i);
  return s;
}
int main() {
  CHECK_MODES(f, 4, 0.3, 1.5, 0.8, -0.4)
  FINISH
}
