#include <optional>

#include "modes.h"
// Small records come back in registers whose types say nothing of what they hold.
__attribute__((noinline)) static std::optional<double> root(double x) {
  if (x < 0) return std::nullopt;
  return std::sqrt(x) * x;
}
__attribute__((noinline)) std::optional<double> deep(double x, int n) {
  if (n == 0) return x > 1.5 ? std::optional<double>{} : x * x;
  auto inner = deep(x * 0.9, n - 1);
  return inner ? std::optional<double>{*inner * x} : std::nullopt;
}
struct Flagged { double value; bool good; };
__attribute__((noinline)) Flagged flagged(double x) { return {x * x * x, x > 0}; }
__attribute__((noinline)) std::optional<int> count(double x) {
  if (x < 0) return std::nullopt;
  return (int)(x * 3);
}
double f(double* x) {
  double s = 0;
  for (int i = 0; i < 4; i++) {
    auto r = root(x[i]);
    s += r ? *r : 0.5 * x[i];
    auto d = deep(x[i], i);
    s += d ? *d * x[0] : -x[i];
    auto g = flagged(x[i]);
    s += g.good ? g.value : x[i];
    auto c = count(x[i]);
    s += x[i] * x[i] * (c ? *c : 7);
  }
  return s;
}
int main() {
  CHECK_MODES(f, 4, 0.5, -1, 2.1, 1.25)
  FINISH
}
