#include "modes.h"
#include <cmath>
#include <memory>
#include <vector>
// Objects of several classes with several owners, by an object of itself too; looked at when they are gone.
struct Shape {
  double size;
  explicit Shape(double s) : size(s) {}
  virtual ~Shape() {}
  virtual double area() const = 0;
};
struct Square : Shape {
  using Shape::Shape;
  double area() const override { return size * size; }
};
struct Disc : Shape, std::enable_shared_from_this<Disc> {
  using Shape::Shape;
  double area() const override { return 3 * std::sin(size); }
  std::shared_ptr<Disc> again() { return shared_from_this(); }
};
double f(double* x) {
  std::vector<std::shared_ptr<Shape>> shapes;
  for (int i = 0; i < 3; i++) shapes.push_back(std::make_shared<Square>(x[0] + i));
  auto disc = std::make_shared<Disc>(x[1]);
  shapes.push_back(disc->again());
  std::weak_ptr<Shape> first = shapes[0];
  double total = 0;
  if (auto alive = first.lock()) total += alive->size * 0.5;
  shapes.erase(shapes.begin());
  if (first.expired()) total += x[0] * x[1];
  for (auto& shape : shapes) total += shape->area();
  return total * total;
}
int main() {
  CHECK_MODES(f, 2, 0.5, -1)
  FINISH
}
