#include "check.h"
double __enzyme_autodiff(void*, double);
struct V {
  double* p;
  V(double x) : p(new double(x)) {}
  ~V() { delete p; }
};
__attribute__((noinline)) double chk(double x) {
  if (x < 0) throw 7;
  return sqrt(x) * x;
}
double f(double x) {
  V v(x);
  return chk(*v.p) * 2;
}
int main() {
  double x = 1.5;
  EQUAL(__enzyme_autodiff((void*)f, x), 3 * sqrt(x));
  int got = 0;
  try {
    __enzyme_autodiff((void*)f, -1.0);
  } catch (int k) {
    got = k;
  }
  EQUAL(got, 7);
  FINISH
}
