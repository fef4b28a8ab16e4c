#include "modes.h"
#include <deque>
// A window moves along: pushed at one end, popped at the other.
double f(double* x) {
  std::deque<double> window;
  double s = 0;
  for (int i = 0; i < 12; i++) {
    window.push_back(x[i % 3] * (i + 1));
    if (i % 4 == 3) window.push_front(x[0] * x[1]);
    if (window.size() > 4) window.pop_front();
    for (double& v : window) s += v * v, v *= 0.9;
  }
  return s * window.back() + window.front();
}
int main() {
  CHECK_MODES(f, 3, 0.5, -1, 2)
  FINISH
}
