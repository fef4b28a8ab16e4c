#include "modes.h"
#include <memory>
#include <cmath>
struct Node {
  double key;
  std::unique_ptr<Node> left, right;
  explicit Node(double k) : key(k) {}
};
static void insert(std::unique_ptr<Node>& at, double key) {
  if (!at) {
    at = std::make_unique<Node>(key);
    return;
  }
  insert(key < at->key ? at->left : at->right, key);
}
static double fold(const Node* n, double depth) {
  if (!n) return 0;
  return n->key * n->key * depth + fold(n->left.get(), depth * 1.5) + fold(n->right.get(), depth * 0.5);
}
double f(double* x) {
  std::unique_ptr<Node> root;
  for (int i = 0; i < 5; i++) insert(root, x[i]);
  return fold(root.get(), 1);
}
int main() {
  CHECK_MODES(f, 5, 0.5, -1, 2, 0.7, 0.3)
  FINISH
}
