#include "modes.h"
// The class of an object chooses; all have their numbers in one place.
struct Shape {
  double size;
  explicit Shape(double s) : size(s) {}
  virtual ~Shape() {}
};
struct Disc : Shape {
  using Shape::Shape;
  double area() const { return M_PI * size * size; }
};
struct Square : Shape {
  using Shape::Shape;
  double area() const { return size * size; }
};
__attribute__((noinline)) static double area(const Shape* s) {
  if (auto* disc = dynamic_cast<const Disc*>(s)) return disc->area();
  auto* square = dynamic_cast<const Square*>(s);
  return square ? square->area() : 0;
}
double f(double* x) {
  Disc d(x[0]);
  Square q(x[1]);
  Shape other(x[0]);
  const Shape* all[] = {&d, &q, &other};
  double s = 0;
  for (auto* shape : all) s += area(shape) * x[1];
  return s;
}
int main() {
  CHECK_MODES(f, 2, 0.3, 1.5)
  FINISH
}
