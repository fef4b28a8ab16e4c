#include "modes.h"
// Pairs that a compiler puts into vectors, of which only some lanes are read.
double f(double* x) {
  double p[2] = {x[0] * x[0], x[1] * x[1]};
  p[1] *= p[0];
  double q[2] = {sqrt(p[0] + 1), p[1] / (1 + p[0])};
  q[0] -= q[1] * x[2];
  return q[0] * 3 + p[1] + x[2] * x[2];
}
int main() {
  CHECK_MODES(f, 3, 0.5, -1, 0.7)
  FINISH
}
