#include "modes.h"
#include <memory>
struct Node {
  double weight;
  std::shared_ptr<Node> left, right;
  explicit Node(double w) : weight(w) {}
};
static std::shared_ptr<Node> grow(const double* x, int depth, double w) {
  auto made = std::make_shared<Node>(w);
  if (depth > 0) {
    made->left = grow(x, depth - 1, w * x[0]);
    made->right = grow(x, depth - 1, w + x[1]);
  }
  return made;
}
static double total(const std::shared_ptr<Node>& node) {
  if (!node) return 0;
  return node->weight * node->weight + 0.5 * total(node->left) + total(node->right);
}
double f(double* x) { return total(grow(x, 3, x[2])); }
int main() {
  CHECK_MODES(f, 3, 0.5, -1, 2)
  FINISH
}
