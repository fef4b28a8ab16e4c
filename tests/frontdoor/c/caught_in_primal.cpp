#include "modes.h"
#include <stdexcept>
#include <cmath>
// A guard that throws stands around what does not throw here.
static double checked(double v) {
  if (v < 0) throw std::domain_error("negative");
  return std::sqrt(v);
}
double f(double* x) {
  double s = 0;
  for (int i = 0; i < 3; i++) {
    try {
      s += checked(x[i]) * x[0];
    } catch (const std::domain_error&) {
      s += 1;
    }
  }
  return s;
}
int main() {
  CHECK_MODES(f, 3, 0.5, 1, 2)
  FINISH
}
