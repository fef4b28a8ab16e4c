#include "modes.h"
#include <unordered_map>
double f(double* x) {
  std::unordered_map<int, double> m;
  for (int i = 0; i < 20; i++) m[i * i % 11] += x[i % 3] * i;
  double s = 0;
  for (int k = 0; k < 11; k++) {
    auto found = m.find(k);
    if (found != m.end()) s += found->second * found->second * (k + 1);
  }
  return s / 100;
}
int main() {
  CHECK_MODES(f, 3, 0.5, -1, 2)
  FINISH
}
