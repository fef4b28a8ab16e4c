// Vectors of records of numbers and integers that grow.
#include "modes.h"
#include <tuple>
#include <vector>
double f(double* x) {
  std::vector<std::pair<double, int>> v;
  std::vector<std::tuple<int, double, float>> t;
  for (int i = 0; i < 7; i++) {
    v.push_back({x[i % 3] * (i - 3), i});
    t.emplace_back(i, x[(i + 1) % 3], 0.5f);
  }
  double s = 0;
  for (auto& [a, k] : v) s = 0.5 * s + a * (1 + k);
  for (auto& [k, a, b] : t) s += a * a * b * k;
  return s;
}
int main() {
  CHECK_MODES(f, 3, 0.5, -1, 0.7)
  FINISH
}
