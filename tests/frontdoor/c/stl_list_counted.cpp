// A list keeps the number of its items where its nodes keep their numbers.
#include "modes.h"
#include <list>
double f(double* x) {
  std::list<std::pair<double, int>> pairs;
  for (int i = 0; i < 7; i++) pairs.push_back({x[(i + 2) % 3], i});
  double s = 0;
  for (auto& [a, k] : pairs) s += a * a * k;
  return s * pairs.size();
}
int main() {
  CHECK_MODES(f, 3, 0.5, -1, 0.7)
  FINISH
}
