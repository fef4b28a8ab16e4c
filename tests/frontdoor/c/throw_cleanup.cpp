#include "modes.h"
#include <stdexcept>
#include <vector>
// Destructors on the way of an exception that does not come.
struct Guard {
  double& place;
  ~Guard() { place *= 2; }
};
static double step(double* x, int i) {
  std::vector<double> local(3, x[i]);
  if (i > 5) throw std::out_of_range("i");
  return local.at(i) * local[0];
}
double f(double* x) {
  double s = 1;
  for (int i = 0; i < 3; i++) {
    Guard guard{s};
    s += step(x, i);
  }
  return s;
}
int main() {
  CHECK_MODES(f, 3, 0.5, 1, 2)
  FINISH
}
