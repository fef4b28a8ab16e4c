#include "modes.h"
#include <cmath>
struct Node {
  virtual ~Node() {}
};
struct Number : Node {
  double v;
  explicit Number(double x) : v(x) {}
};
struct Sum : Node {
  Node *left, *right;
  Sum(Node* l, Node* r) : left(l), right(r) {}
};
struct Product : Node {
  Node *left, *right;
  Product(Node* l, Node* r) : left(l), right(r) {}
};
static double evaluate(Node* n) {
  if (auto* number = dynamic_cast<Number*>(n)) return number->v;
  if (auto* sum = dynamic_cast<Sum*>(n)) return evaluate(sum->left) + evaluate(sum->right);
  auto* product = dynamic_cast<Product*>(n);
  return product ? evaluate(product->left) * evaluate(product->right) : 0;
}
double f(double* x) {
  Number a(x[0]), b(x[1]), c(3);
  Sum s(&a, &c);
  Product p(&s, &b), q(&p, &a);
  return evaluate(&q);
}
int main() {
  CHECK_MODES(f, 2, 0.5, 0.8)
  FINISH
}
