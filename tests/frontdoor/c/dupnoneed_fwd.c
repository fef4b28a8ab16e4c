#include "check.h"
extern void __enzyme_fwddiff(void*, ...);
void f(double* x, double* y) { *y = *x * *x; }
int main() {
  double x = 3, dx = 1, y = 0, dy = 0;
  __enzyme_fwddiff((void*)f, enzyme_dup, &x, &dx, enzyme_dupnoneed, &y, &dy);
  EQUAL(dy, 6);
  FINISH
}
