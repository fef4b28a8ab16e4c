#include "modes.h"
#include <string>
#include <cmath>
// The name of a parameter chooses what is computed.
static double computed(const std::string& name, double v) {
  if (name == "sine of the angle, a long name that lies on the heap") return std::sin(v);
  if (name.size() > 3 && name.substr(0, 3) == "exp") return std::exp(v / 2);
  return v * v;
}
double f(double* x) {
  std::string names[] = {"sine of the angle, a long name that lies on the heap", "exponential", "?"};
  double s = 0;
  for (auto& name : names) {
    std::string copy = name;
    s += computed(copy, x[0]) * x[1];
  }
  return s;
}
int main() {
  CHECK_MODES(f, 2, 0.5, 1.5)
  FINISH
}
