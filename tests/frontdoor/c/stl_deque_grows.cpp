#include <deque>

#include "modes.h"
// The table of a deque's blocks moves as one vector of four addresses when it grows.
static double g(const double* x, int n) {
  std::deque<double> d;
  for (int i = 0; i < n; i++) d.push_back(x[i] * x[i]);
  double s = 0;
  for (double v : d) s += v * v;
  return s;
}
static volatile int many = 3;
double f(double* x) { return g(x, many); }
int main() {
  CHECK_MODES(f, 3, 0.5, -1, 2)
  FINISH
}
