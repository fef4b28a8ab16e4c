#include "check.h"
double __enzyme_autodiff(void*, double);
struct G {
  double* p;
  G(double x) { p = new double(x); }
  ~G() { delete p; }
};
__attribute__((noinline)) double h(double x) {
  if (x > 100) throw 1;
  return x * x;
}
double f(double x) {
  G g(x);
  double y = h(x);
  return *g.p * y;
}
int main() {
  double x = 1.1;
  EQUAL(__enzyme_autodiff((void*)f, x), 3 * x * x);
  FINISH
}
