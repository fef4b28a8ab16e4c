#include "modes.h"
#include <list>
// Nodes move from list to list; their numbers stay where they are.
double f(double* x) {
  std::list<double> a, b;
  for (int i = 0; i < 5; i++) {
    a.push_back(x[i % 3] * (i + 1));
    b.push_front(x[(i + 1) % 3] + i);
  }
  a.splice(++a.begin(), b, b.begin(), --b.end());
  b.insert(b.begin(), 2, x[0] * x[1]);
  a.remove_if([](double v) { return v < 0 && v > -1.5; });
  a.erase(++a.begin());
  double s = b.size() * b.front(), weight = 1;
  for (double& v : a) v *= v;
  for (auto v = a.rbegin(); v != a.rend(); ++v) s += *v * (weight *= 0.8);
  return s * a.size();
}
int main() {
  CHECK_MODES(f, 3, 0.5, -1, 2)
  FINISH
}
