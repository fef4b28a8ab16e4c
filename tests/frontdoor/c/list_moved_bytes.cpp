#include "modes.h"
#include <list>
// Numbers of a list are moved as bytes: right, or refused.
double f(double* x) {
  std::list<double> l, m;
  for (int i = 0; i < 4; i++) l.push_back(x[i % 3] * (i + 1));
  for (auto& v : l) { int64_t b; memcpy(&b, &v, 8); double r; memcpy(&r, &b, 8); m.push_back(r); }
  double s = m.size();
  for (auto v : m) s += v * v;
  char buffer[sizeof m];
  memcpy(buffer, &m, sizeof m);
  long n; memcpy(&n, buffer + 16, 8);
  return s * n;
}
int main() {
  CHECK_MODES(f, 3, 0.5, -1, 2)
  FINISH
}
