#include "check.h"
extern void* __enzyme_augmentfwd(void*, ...);
extern void __enzyme_reverse(void*, ...);
double f(double* x, int n) {
  double s = 1;
  for (int i = 0; i < n; i++) {
    s *= sin(x[i]);
    x[i] = s;
  }
  return s;
}
int main() {
  double x[3] = {1, 2, 0.5}, dx[3] = {0};
  void* tape = __enzyme_augmentfwd((void*)f, enzyme_dup, x, dx, enzyme_const, 3);
  EQUAL(x[2], sin(1) * sin(2) * sin(0.5));
  __enzyme_reverse((void*)f, enzyme_dup, x, dx, enzyme_const, 3, 1.0, tape);
  EQUAL(dx[0], cos(1) * sin(2) * sin(0.5));
  EQUAL(dx[1], sin(1) * cos(2) * sin(0.5));
  EQUAL(dx[2], sin(1) * sin(2) * cos(0.5));
  FINISH
}
