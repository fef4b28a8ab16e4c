#include "check.h"
extern double __enzyme_autodiff(void*, ...);
double (*table[3])(double) = {sin, exp, sqrt};
double f(double x) {
  double s = 0;
  for (int i = 0; i < 3; i++) s += table[i](x) * (i + 1);
  return s;
}
int main() {
  double x = .6;
  EQUAL(__enzyme_autodiff((void*)f, x), cos(x) + 2 * exp(x) + 1.5 / sqrt(x));
  FINISH
}
