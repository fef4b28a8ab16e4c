#include "modes.h"
#include <set>
double f(double* x) {
  std::set<double> s(x, x + 4);
  s.insert(x[0] * x[1]);
  double total = 0;
  int rank = 1;
  for (double v : s) total += rank++ * v * v;
  return total + *s.begin() * *s.rbegin();
}
int main() {
  CHECK_MODES(f, 4, 0.5, -1, 2, 0.75)
  FINISH
}
