#include "modes.h"
#include <complex>
#include <vector>
using Complex = std::complex<double>;
static void transform(std::vector<Complex>& z) {
  if (z.size() == 1) return;
  std::vector<Complex> even, odd;
  for (std::size_t i = 0; i < z.size(); i += 2) {
    even.push_back(z[i]);
    odd.push_back(z[i + 1]);
  }
  transform(even);
  transform(odd);
  for (std::size_t k = 0; k < even.size(); k++) {
    Complex t = std::polar(1.0, -2 * M_PI * k / z.size()) * odd[k];
    z[k] = even[k] + t;
    z[k + even.size()] = even[k] - t;
  }
}
double f(double* x) {
  std::vector<Complex> z;
  for (int i = 0; i < 4; i++) z.push_back(Complex(x[i % 3], x[(i + 1) % 3] * i));
  transform(z);
  double s = 0;
  for (auto& c : z) s += std::norm(c) * std::norm(c);
  return s;
}
int main() {
  CHECK_MODES(f, 3, 0.4, -1, 0.7)
  FINISH
}
