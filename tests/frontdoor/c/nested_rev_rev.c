#include "check.h"
extern double __enzyme_autodiff(void*, ...);
extern double __enzyme_autodiff2(void*, ...);
double f(double x, double y) { return x * x * y + sin(x * y); }
double fx(double x, double y) { return __enzyme_autodiff((void*)f, enzyme_out, x, enzyme_const, y); }
double fxy(double x, double y) { return __enzyme_autodiff2((void*)fx, enzyme_const, x, enzyme_out, y); }
int main() {
  double x = .4, y = .3;
  EQUAL(fxy(x, y), DIFFERENCE(fx(x, y), y, 1e-5));
  FINISH
}
