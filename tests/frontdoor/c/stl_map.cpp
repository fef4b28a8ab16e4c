#include "modes.h"
#include <map>
#include <string>
double f(double* x) {
  std::map<int, double> m;
  for (int i = 0; i < 6; i++) m[(i * 7) % 5] += x[i % 3] * (i + 1);
  m.erase(2);
  double s = 0;
  for (auto& [key, value] : m) s += key * value * value;
  auto found = m.find(3);
  if (found != m.end()) s *= found->second;
  return s;
}
int main() {
  CHECK_MODES(f, 3, 0.5, -1, 2)
  FINISH
}
