#include "modes.h"
#include <algorithm>
#include <vector>
double f(double* x) {
  std::vector<double> v(x, x + 6);
  std::sort(v.begin(), v.end());
  double s = 0;
  for (std::size_t i = 0; i < v.size(); i++) s += (i + 1) * v[i] * v[i];
  return s;
}
int main() {
  CHECK_MODES(f, 6, 0.5, -1, 2, 0.7, 0.3, -4)
  FINISH
}
