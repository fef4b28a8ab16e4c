#include "modes.h"
#include <vector>
double f(double* x) {
  std::vector<double> v;
  v.reserve(2);
  v.push_back(x[0]);
  v.emplace_back(x[1]);
  v.resize(5, x[2]);
  v.push_back(v[0] * v[4]);
  v.pop_back();
  v.resize(4);
  v.insert(v.end(), x, x + 2);
  std::vector<double> w(v);
  w.swap(v);
  w.clear();
  w.assign(2, x[1]);
  w.shrink_to_fit();
  double s = 0;
  for (std::size_t i = 0; i < v.size(); i++) s += v[i] * v[i] * w[i % 2];
  return s + v.front() * v.back();
}
int main() {
  CHECK_MODES(f, 3, 0.5, -1, 2)
  FINISH
}
