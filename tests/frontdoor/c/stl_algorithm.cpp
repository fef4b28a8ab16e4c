#include "modes.h"
#include <algorithm>
#include <numeric>
#include <vector>
double f(double* x) {
  std::vector<double> v(x, x + 5), w(5);
  std::transform(v.begin(), v.end(), w.begin(), [](double a) { return a * a + 1; });
  double s = std::accumulate(w.begin(), w.end(), 0.0);
  double dot = std::inner_product(v.begin(), v.end(), w.begin(), 0.5);
  std::partial_sum(v.begin(), v.end(), w.begin());
  std::reverse(w.begin(), w.end());
  double most = *std::max_element(w.begin(), w.end());
  std::for_each(v.begin(), v.end(), [&](double& a) { a *= most; });
  return s * dot + v[1] * w[2] + *std::min_element(v.begin(), v.end());
}
int main() {
  CHECK_MODES(f, 5, 0.5, -1, 2, 0.7, 0.3)
  FINISH
}
