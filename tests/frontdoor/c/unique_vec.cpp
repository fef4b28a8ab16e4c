#include "check.h"
#include <memory>
#include <vector>
double __enzyme_autodiff(void*, double);
struct Sh {
  virtual ~Sh() = default;
  virtual double area(double) const = 0;
};
struct Sq : Sh {
  double area(double x) const override { return x * x; }
};
struct Ci : Sh {
  double area(double x) const override { return 3 * x; }
};
double f(double x) {
  std::vector<std::unique_ptr<Sh>> v;
  v.push_back(std::make_unique<Sq>());
  v.push_back(std::make_unique<Ci>());
  v.push_back(std::make_unique<Sq>());
  double s = 0;
  for (auto& p : v) s += p->area(x) * x;
  return s;
}
int main() {
  double x = 1.5;
  EQUAL(__enzyme_autodiff((void*)f, x), 6 * x * x + 6 * x);
  FINISH
}
