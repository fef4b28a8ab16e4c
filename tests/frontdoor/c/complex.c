#include "check.h"
#include <complex.h>
extern double __enzyme_autodiff(void*, ...);
__attribute__((noinline)) double _Complex sq(double _Complex z) { return z * z + cexp(z); }
double f(double x) {
  double _Complex z = x + 2 * x * I;
  return creal(sq(z)) + cabs(z);
}
int main() {
  double x = 0.3;
  EQUAL(__enzyme_autodiff((void*)f, x), DIFFERENCE(f(x), x, 1e-5));
  FINISH
}
