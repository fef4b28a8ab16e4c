#include "check.h"
extern double __enzyme_autodiff(void*, ...);
double f(double x) {
  long double y = x;
  y = y * y * sinl(y);
  return (double)y;
}
int main() {
  double x = 0.3;
  EQUAL(__enzyme_autodiff((void*)f, x), DIFFERENCE(f(x), x, 1e-5));
  FINISH
}
