#include "modes.h"
#include <iostream>
#include <cmath>
double f(double* x) {
  double s = 0;
  for (int i = 0; i < 3; i++) {
    s += std::exp(0.1 * x[i]) * x[i];
    std::cerr << "partial sum " << i << ' ' << s << '\n';
  }
  return s;
}
int main() {
  CHECK_MODES(f, 3, 1, 2, -0.5)
  FINISH
}
