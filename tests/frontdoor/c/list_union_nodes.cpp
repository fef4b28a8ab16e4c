#include "modes.h"
#include <list>
// Bits of the numbers in nodes are taken apart through a union.
union Bits {
  double d;
  int64_t i;
};
double f(double* x) {
  std::list<Bits> l;
  for (int i = 0; i < 4; i++) {
    Bits b;
    b.d = x[i % 3] * (i + 1);
    l.push_back(b);
  }
  double s = l.size();
  for (auto& v : l) v.i -= 1LL << 52;
  for (auto& v : l) s += v.d * v.d;
  return s;
}
int main() {
  CHECK_MODES(f, 3, 0.5, -1, 2)
  FINISH
}
