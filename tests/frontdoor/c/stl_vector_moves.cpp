// Items of a vector are moved by numbers of bytes, which are distances between addresses.
#include "modes.h"
#include <algorithm>
#include <vector>
struct item { double a; int k; double b; };
double f(double* x) {
  std::vector<item> v;
  std::vector<std::pair<double, int>> w;
  for (int i = 0; i < 7; i++) {
    v.push_back({x[i % 3] * x[i % 2], i, x[(i + 1) % 3]});
    w.insert(w.begin() + i / 2, {x[i % 3] * i, i});
  }
  v.erase(std::remove_if(v.begin(), v.end(), [](const item& p) { return p.k % 3 == 1; }), v.end());
  v.insert(v.begin() + 2, v[0]);
  w.erase(w.begin() + 3);
  double s = 0;
  for (auto& p : v) s = 0.5 * s + p.a * p.b * (1 + p.k);
  for (auto& [a, k] : w) s = 0.6 * s + a * k;
  return s;
}
int main() {
  CHECK_MODES(f, 3, 0.5, -1, 0.7)
  FINISH
}
