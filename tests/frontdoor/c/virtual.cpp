#include "check.h"
double __enzyme_autodiff(void*, double, int);
struct S {
  virtual double area(double r) const = 0;
  virtual ~S() {}
};
struct A : S {
  double k;
  A(double k) : k(k) {}
  double area(double r) const override { return k * r * r; }
};
struct B : S {
  double area(double r) const override { return sin(r); }
};
__attribute__((noinline)) double use(const S& s, double r) { return s.area(r) * r; }
double f(double x, int k) {
  A a(2 * x);
  B b;
  const S& s = k ? (const S&)a : (const S&)b;
  return use(s, x);
}
int main() {
  double x = 0.9;
  EQUAL(__enzyme_autodiff((void*)f, x, 1), DIFFERENCE(f(x, 1), x, 1e-5));
  EQUAL(__enzyme_autodiff((void*)f, x, 0), DIFFERENCE(f(x, 0), x, 1e-5));
  FINISH
}
