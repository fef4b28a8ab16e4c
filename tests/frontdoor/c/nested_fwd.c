#include "check.h"
extern double __enzyme_autodiff(void*, ...);
extern double __enzyme_fwddiff(void*, ...);
double f(double x) { return x * x * x * sin(x); }
double df(double x) { return __enzyme_autodiff((void*)f, x); }
double ddf(double x) { return __enzyme_fwddiff((void*)df, x, 1.0); }
int main() {
  double x = 1.1;
  EQUAL(ddf(x), DIFFERENCE(df(x), x, 1e-5));
  FINISH
}
