#include <optional>

#include "modes.h"
// What a function returns is what all expect who call it: also those that find it in a table.
typedef std::optional<double> (*Way)(double);
__attribute__((noinline)) static std::optional<double> low(double x) {
  if (x > 1) return {};
  return x * x;
}
__attribute__((noinline)) static std::optional<double> high(double x) {
  if (x > 1.5) return {};
  return x * x * x;
}
static Way ways[2] = {low, high};
static volatile int which = 0;
static double either(double x) {
  double s = low(x) ? *low(x) : -x;
  if (auto h = high(x)) s += *h;
  for (int i = 0; i < 2; i++)
    if (auto w = ways[(which + i) % 2](x)) s += *w * (i ? 100 : 10);
  return s;
}
double f(double* x) {
  double s = 0;
  for (int i = 0; i < 3; i++) s += low(x[i]) ? *low(x[i]) : 0.5 * x[i];
  return s;
}
int main() {
  CHECK_MODES(f, 3, 0.5, -1, 2)
  AGREE(either(0.5), 15.375);
  FINISH
}
