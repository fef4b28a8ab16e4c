#include "check.h"
extern double __enzyme_autodiff(void*, ...);
double params[3] = {1, 2, 3};
double f(double x) {
  double s = 0;
  for (int i = 0; i < 3; i++) s += params[i] * x * x;
  return s;
}
int main() {
  double x = 1.5;
  EQUAL(__enzyme_autodiff((void*)f, x), 12 * x);
  FINISH
}
