#include "check.h"
double __enzyme_autodiff(void*, double);
struct B {
  double x;
  virtual double g() const { return x; }
  virtual ~B() {}
};
struct L : virtual B {
  double g() const override { return x * x; }
};
struct R : virtual B {
  double k = 2;
};
struct D : L, R {
  double g() const override { return L::g() * k; }
};
__attribute__((noinline)) double call(const B* b) { return b->g(); }
double f(double x) {
  D d;
  d.x = x;
  return call(&d) * x;
}
int main() {
  EQUAL(__enzyme_autodiff((void*)f, 2.0), 24);
  FINISH
}
