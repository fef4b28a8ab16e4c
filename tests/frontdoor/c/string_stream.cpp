#include "modes.h"
#include <sstream>
#include <string>
#include <cmath>
double f(double* x) {
  std::ostringstream out;
  double s = x[0];
  for (int i = 0; i < 3; i++) {
    s = s * x[1] + std::sin(s);
    out << i << ' ';
  }
  std::string text = out.str();
  return s * (double)text.size();
}
int main() {
  CHECK_MODES(f, 2, 0.5, 1.5)
  FINISH
}
