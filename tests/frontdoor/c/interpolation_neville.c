#include "modes.h"
double f(double* x) {
  double p[5];
  for (int i = 0; i < 5; i++) p[i] = x[i % 3] + i * i * 0.1;
  for (int k = 1; k < 5; k++)
    for (int i = 0; i < 5 - k; i++) p[i] = ((x[3] - (i + k)) * p[i] + (i - x[3]) * p[i + 1]) / -k;
  return p[0] * p[0];
}
int main() {
  CHECK_MODES(f, 4, 1.15, 0.7, 0.8, 2.3)
  FINISH
}
