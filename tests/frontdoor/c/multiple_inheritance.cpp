#include "modes.h"
// The second base lies at an offset: calls through it come by thunks.
struct Area {
  virtual double area() const = 0;
  virtual ~Area() {}
};
struct Edge {
  double side;
  explicit Edge(double s) : side(s) {}
  virtual double edge() const { return side; }
  virtual ~Edge() {}
};
struct Square : Area, Edge {
  double extra;
  Square(double s, double e) : Edge(s), extra(e) {}
  double area() const override { return side * side + extra; }
  double edge() const override { return 4 * side * extra; }
};
__attribute__((noinline)) static double both(const Area& a, const Edge& e) { return a.area() * e.edge(); }
double f(double* x) {
  Square s(x[0], x[1]);
  return both(s, s);
}
int main() {
  CHECK_MODES(f, 2, 1.5, 0.5)
  FINISH
}
