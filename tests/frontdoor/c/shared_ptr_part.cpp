#include "modes.h"
#include <cmath>
#include <memory>
// An object made by new, with a function that gives it back, and a part of it that keeps the whole alive.
struct Pair {
  double left, right;
};
struct GiveBack {
  void operator()(Pair* p) const { delete p; }
};
double f(double* x) {
  double total = x[0] * std::sin(x[1]);
  std::shared_ptr<Pair> pair(new Pair{x[0], x[1]}, GiveBack());
  std::shared_ptr<double> right(pair, &pair->right);
  pair.reset();
  *right *= total;
  return total * *right;
}
int main() {
  CHECK_MODES(f, 2, 0.5, -1)
  FINISH
}
