#include "modes.h"
#include <functional>
#include <vector>
#include <cmath>
static double twice(double v) { return 2 * v; }
double f(double* x) {
  double a = x[0];
  std::vector<std::function<double(double)>> chain;
  chain.push_back([a](double v) { return a * v; });
  chain.push_back(twice);
  chain.push_back([x](double v) { return std::exp(v * x[1]); });
  chain.emplace_back(std::bind(std::plus<double>(), std::placeholders::_1, x[1]));
  double v = 0.3;
  for (auto& g : chain) v = g(v);
  return v;
}
int main() {
  CHECK_MODES(f, 2, 0.5, -1)
  FINISH
}
