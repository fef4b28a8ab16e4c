#include "check.h"
extern double __enzyme_autodiff(void*, ...);
double f(double* x, _Bool flag, char c, short s, long l) { return flag ? x[0] * c * s * l : x[0]; }
int main() {
  double x = 2, d = 0;
  __enzyme_autodiff((void*)f, &x, &d, 1, 2, 3, 4l);
  EQUAL(d, 24);
  FINISH
}
