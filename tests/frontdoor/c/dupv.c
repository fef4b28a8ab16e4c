#include "check.h"
extern void __enzyme_fwddiff(void*, ...);
void f(double* x, double* y) {
  y[0] = x[0] * x[1];
  y[1] = sin(x[0]);
}
int main() {
  double x[2] = {1.3, 0.4}, dx[4] = {1, 0, 0, 1}, y[2], dy[4] = {0};
  __enzyme_fwddiff((void*)f, enzyme_width, 2, enzyme_dupv, sizeof(double) * 2, x, dx, enzyme_dupv,
                   sizeof(double) * 2, y, dy);
  EQUAL(dy[0], x[1]);
  EQUAL(dy[1], cos(x[0]));
  EQUAL(dy[2], x[0]);
  EQUAL(dy[3], 0);
  FINISH
}
