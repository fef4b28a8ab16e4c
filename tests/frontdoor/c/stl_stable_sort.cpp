// What sorts with a buffer may be given none.
#include "modes.h"
#include <algorithm>
#include <vector>
struct item { double key, value; int number; };
double f(double* x) {
  std::vector<item> v;
  for (int i = 0; i < 7; i++) v.push_back({x[i % 3] * (1 + 0.1 * i), x[i % 3] * x[(i + 1) % 3], i});
  std::stable_sort(v.begin(), v.end(), [](const item& a, const item& b) { return a.key < b.key; });
  double s = 0;
  for (auto& one : v) s = 0.8 * s + one.value * (1 + one.number);
  return s;
}
int main() {
  CHECK_MODES(f, 3, 0.5, -1, 0.7)
  FINISH
}
