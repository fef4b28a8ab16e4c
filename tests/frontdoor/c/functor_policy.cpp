#include "modes.h"
// Algorithms by policies: a template chooses rule and transformation.
struct Trapezoid {
  template <class F>
  static double over(F f, double a, double b) {
    return (b - a) / 2 * (f(a) + f(b));
  }
};
struct Gauss {
  template <class F>
  static double over(F f, double a, double b) {
    double m = (a + b) / 2, h = (b - a) / 2, r = h / sqrt(3.0);
    return h * (f(m - r) + f(m + r));
  }
};
template <class Rule, int N>
struct Integrate {
  template <class F>
  double operator()(F f, double a, double b) const {
    double s = 0, h = (b - a) / N;
    for (int i = 0; i < N; i++) s += Rule::over(f, a + i * h, a + (i + 1) * h);
    return s;
  }
};
double f(double* x) {
  auto g = [=](double t) { return exp(-x[0] * t) * (1 + x[1] * t); };
  return Integrate<Trapezoid, 8>()(g, 0, x[2]) * Integrate<Gauss, 4>()(g, 0, 1);
}
int main() {
  CHECK_MODES(f, 3, 0.3, 1.5, 0.9)
  FINISH
}
