#include "check.h"
extern void __enzyme_autodiff(void*, ...);
void f(double* x, double* y) {
  for (int i = 0; i < 3; i++) {
    y[0] += x[i] * x[i] * y[0];
  }
}
double run(double* x) {
  double y = .5;
  f(x, &y);
  return y;
}
int main() {
  double x[3] = {.1, .2, .3}, dx[3] = {0}, y = .5, dy = 1;
  __enzyme_autodiff((void*)f, enzyme_dup, x, dx, enzyme_dupnoneed, &y, &dy);
  for (int i = 0; i < 3; i++) EQUAL(dx[i], DIFFERENCE(run(x), (x[i]), 1e-6));
  FINISH
}
