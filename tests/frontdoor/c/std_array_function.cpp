#include "check.h"
#include <array>
#include <functional>
#include <memory>
#include <numeric>
double __enzyme_autodiff(void*, double);
double f(double x) {
  std::array<double, 3> a{x, x * x, 2};
  auto p = std::make_unique<double>(x * 3);
  std::function<double(double)> g = [&](double t) { return t * a[1] + *p; };
  return std::accumulate(a.begin(), a.end(), g(x));
}
int main() {
  double x = 1.5;
  EQUAL(__enzyme_autodiff((void*)f, x), DIFFERENCE(f(x), x, 1e-5));
  FINISH
}
