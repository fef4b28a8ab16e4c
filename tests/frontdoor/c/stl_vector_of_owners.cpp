#include <memory>
#include <vector>

#include "modes.h"
// Records of a number and of what owns another are moved as vectors of integers when one is erased.
struct Item { double weight; std::unique_ptr<double> value; };
static volatile int many = 7;
double f(double* x) {
  std::vector<Item> items;
  for (int i = 0, n = many; i < n; i++) items.push_back({x[i % 3], std::make_unique<double>(x[i % 3] * x[0])});
  items.erase(items.begin() + 1);
  double s = 0;
  for (auto& item : items) s = 0.9 * s + *item.value * item.weight;
  return s;
}
int main() {
  CHECK_MODES(f, 3, 0.5, -1, 2)
  FINISH
}
