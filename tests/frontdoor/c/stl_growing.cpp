#include "modes.h"
#include <vector>
double f(double* x) {
  std::vector<double> v;
  for (int i = 0; i < 7; i++) v.push_back(x[i % 3] * i);
  double s = 0;
  for (double y : v) s += y * y;
  return s;
}
int main() {
  CHECK_MODES(f, 3, 0.5, -1, 2)
  FINISH
}
