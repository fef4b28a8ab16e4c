#include "modes.h"
#include <array>
template <std::size_t N>
static std::array<double, N> cross(const std::array<double, N>& a, const std::array<double, N>& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
double f(double* x) {
  std::array<double, 3> a{x[0], x[1], x[2]}, b{x[2], 1, x[0]};
  auto c = cross(a, b);
  auto d = cross(c, a);
  double s = 0;
  for (auto v : d) s += v * v;
  std::array<std::array<double, 2>, 2> m{{{x[0], x[1]}, {x[1], x[2]}}};
  m.swap(m);
  m[0].fill(x[1]);
  return s + m.at(0)[1] * m.back()[0];
}
int main() {
  CHECK_MODES(f, 3, 0.5, -1, 2)
  FINISH
}
