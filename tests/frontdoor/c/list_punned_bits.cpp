#include "modes.h"
#include <list>
// Bits of a list's numbers are taken apart by memcpy.
double f(double* x) {
  std::list<double> l;
  for (int i = 0; i < 4; i++) l.push_back(x[i % 3] * (i + 1));
  double s = l.size();
  for (auto& v : l) { int64_t b; memcpy(&b, &v, 8); b -= 1LL << 52; memcpy(&v, &b, 8); }
  for (auto v : l) s += v * v;
  return s;
}
int main() {
  CHECK_MODES(f, 3, 0.5, -1, 2)
  FINISH
}
