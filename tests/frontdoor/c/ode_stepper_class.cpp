#include "modes.h"
#include <vector>
#include <functional>
#include <cmath>
// A stepper that owns its state and takes the right-hand side as a std::function.
class Stepper {
 public:
  using Field = std::function<std::vector<double>(double, const std::vector<double>&)>;
  Stepper(Field field, std::vector<double> start) : field_(std::move(field)), y_(std::move(start)) {}
  void advance(double h) {
    auto k1 = field_(t_, y_);
    std::vector<double> mid(y_.size());
    for (std::size_t i = 0; i < y_.size(); i++) mid[i] = y_[i] + h / 2 * k1[i];
    auto k2 = field_(t_ + h / 2, mid);
    for (std::size_t i = 0; i < y_.size(); i++) y_[i] += h * k2[i];
    t_ += h;
  }
  const std::vector<double>& state() const { return y_; }

 private:
  Field field_;
  std::vector<double> y_;
  double t_ = 0;
};
double f(double* x) {
  double k = x[0];
  Stepper stepper([k](double t, const std::vector<double>& y) { return std::vector<double>{y[1], -k * y[0] + std::sin(t)}; },
                  {x[1], 0.0});
  for (int i = 0; i < 5; i++) stepper.advance(0.2);
  return stepper.state()[0] * stepper.state()[1];
}
int main() {
  CHECK_MODES(f, 2, 2, 1)
  FINISH
}
