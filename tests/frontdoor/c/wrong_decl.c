#include "check.h"
extern double __enzyme_autodiff(void*, ...);
double f(double x, int n) {
  double s = 0;
  while (n--) s += x;
  return s * s;
}
int main() {
  long n = 3;
  EQUAL(__enzyme_autodiff((void*)f, 2.0, (int)n), 36);
  FINISH
}
