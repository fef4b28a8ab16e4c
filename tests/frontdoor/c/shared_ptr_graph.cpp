#include "modes.h"
#include <memory>
#include <vector>
#include <cmath>
// Layers share their parameters, which live as long as the last of them.
struct Weights {
  double scale, shift;
};
struct Layer {
  std::shared_ptr<Weights> weights;
  double forward(double v) const { return std::tanh(weights->scale * v) + weights->shift; }
};
double f(double* x) {
  auto first = std::make_shared<Weights>(Weights{x[0], x[1]});
  auto second = std::make_shared<Weights>(*first);
  second->shift = x[0] * x[1];
  Layer layers[3] = {{first}, {second}, {first}};
  first.reset();
  std::weak_ptr<Weights> seen = second;
  double v = 0.4;
  for (auto& layer : layers) v = layer.forward(v);
  if (auto still = seen.lock()) v += still->shift * still->shift;
  return v * v;
}
int main() {
  CHECK_MODES(f, 2, 0.5, -1)
  FINISH
}
