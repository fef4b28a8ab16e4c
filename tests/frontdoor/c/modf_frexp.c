#include "check.h"
extern double __enzyme_autodiff(void*, ...);
void sincos(double, double*, double*);
double f(double x) {
  double ip;
  double fr = modf(x * 3, &ip);
  int e;
  double m = frexp(x, &e);
  double s, c;
  sincos(x, &s, &c);
  return fr * ip + m * e + s * c;
}
void sincos(double, double*, double*);
int main() {
  double x = .8;
  EQUAL(__enzyme_autodiff((void*)f, x), DIFFERENCE(f(x), x, 1e-6));
  FINISH
}
