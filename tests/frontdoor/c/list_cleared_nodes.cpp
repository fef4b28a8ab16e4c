#include "modes.h"
#include <list>
// Numbers in nodes are cleared as bytes and written again.
struct Pair {
  double a, b;
};
double f(double* x) {
  std::list<Pair> l;
  for (int i = 0; i < 4; i++) l.push_back({x[i % 3] * (i + 1), x[1]});
  double s = l.size();
  for (auto& v : l) s += v.a * v.a * v.b;
  int k = 0;
  for (auto& v : l) {
    if (k++ % 2) memset(&v, 0, sizeof v);
    else v.a = 0;
  }
  for (auto& v : l) {
    v.a += x[0] * x[2];
    s += v.a * v.b + v.a;
  }
  return s;
}
int main() {
  CHECK_MODES(f, 3, 0.5, -1, 2)
  FINISH
}
