#include "check.h"
extern void __enzyme_fwddiff(void*, ...);
void f(double* x, double a, double* y) { y[0] = a * x[0] * x[1]; }
int main() {
  double x[2] = {2, 3}, y = 0, dx[4] = {1, 0, 0, 1}, dy[2] = {0};
  __enzyme_fwddiff((void*)f, enzyme_width, 2, enzyme_dupv, 16l, x, dx, enzyme_dup, 5.0, 0.0, 1.0, enzyme_dupv,
                   (long)sizeof(double), &y, dy);
  EQUAL(dy[0], 15);
  EQUAL(dy[1], 16);
  FINISH
}
