#include "modes.h"
#include <cmath>
#include <memory>
#include <vector>
// Layers of different classes behind one interface, in a vector of owners.
struct Layer {
  virtual ~Layer() = default;
  virtual double forward(double) const = 0;
};
struct Scale : Layer {
  double a;
  explicit Scale(double v) : a(v) {}
  double forward(double x) const override { return a * x; }
};
struct Bend : Layer {
  double forward(double x) const override { return std::tanh(x); }
};
struct Shift : Layer {
  double b;
  explicit Shift(double v) : b(v) {}
  double forward(double x) const override { return x + b; }
};
double f(double* x) {
  std::vector<std::unique_ptr<Layer>> net;
  net.push_back(std::make_unique<Scale>(x[0]));
  net.push_back(std::make_unique<Bend>());
  net.push_back(std::make_unique<Shift>(x[1]));
  net.push_back(std::make_unique<Scale>(x[2]));
  double v = 0.7;
  for (auto& layer : net) v = layer->forward(v);
  return v * v;
}
int main() {
  CHECK_MODES(f, 3, 0.5, 1.5, -2)
  FINISH
}
