#include "modes.h"
#include <list>
#include <forward_list>
double f(double* x) {
  std::list<double> l;
  for (int i = 0; i < 4; i++) {
    l.push_back(x[i % 3]);
    l.push_front(x[i % 2] * i);
  }
  l.remove_if([](double v) { return v > 1.4; });
  std::forward_list<double> g(l.begin(), l.end());
  g.push_front(x[2]);
  double s = 0, p = 1;
  for (double v : l) s = s * 0.5 + v * v;
  for (double v : g) p *= 1 + 0.1 * v;
  return s * p;
}
int main() {
  CHECK_MODES(f, 3, 0.5, -1, 0.7)
  FINISH
}
