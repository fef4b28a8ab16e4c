#include "modes.h"
#include <memory>
#include <vector>
#include <cmath>
// A graph of operations that share their operands.
struct Node {
  enum Kind { leaf, sum, product, sine } kind;
  double value = 0;
  std::vector<std::shared_ptr<Node>> from;
  double evaluate() const {
    switch (kind) {
      case leaf: return value;
      case sum: return from[0]->evaluate() + from[1]->evaluate();
      case product: return from[0]->evaluate() * from[1]->evaluate();
      default: return std::sin(from[0]->evaluate());
    }
  }
};
using P = std::shared_ptr<Node>;
static P make(Node::Kind kind, double value, std::vector<P> from = {}) {
  auto made = std::make_shared<Node>();
  made->kind = kind;
  made->value = value;
  made->from = std::move(from);
  return made;
}
double f(double* x) {
  P a = make(Node::leaf, x[0]), b = make(Node::leaf, x[1]);
  P p = make(Node::product, 0, {a, b});
  P s = make(Node::sine, 0, {p});
  P t = make(Node::sum, 0, {s, p});
  return make(Node::product, 0, {t, a})->evaluate();
}
int main() {
  CHECK_MODES(f, 2, 0.5, -1)
  FINISH
}
