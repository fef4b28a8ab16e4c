#include "modes.h"
#include <set>
// Numbers that are ordered by another function of them.
struct Farther {
  bool operator()(double a, double b) const { return a * a > b * b; }
};
double f(double* x) {
  std::set<double, Farther> seen;
  for (int i = 0; i < 6; i++) seen.insert(x[i % 3] * (1 + i % 2) + 0.1 * x[0]);
  seen.erase(seen.begin());
  double s = 0, weight = 1;
  for (double v : seen) s += v * v * (weight *= 0.5);
  auto near = seen.lower_bound(1.0);
  if (near != seen.end()) s *= *near;
  return s * seen.size();
}
int main() {
  CHECK_MODES(f, 3, 0.5, -1, 2)
  FINISH
}
