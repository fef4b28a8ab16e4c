#include "check.h"
extern void __enzyme_autodiff(void*, ...);
__attribute__((noinline)) void stamp(double* t) { t[0] = t[0] + 1; }
void* __enzyme_inactivefn[] = {(void*)stamp};
double f(double* x, double* t, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    s += x[i] * x[i] * t[0];
    stamp(t);
  }
  return s;
}
int main() {
  double x[3] = {1, 2, 3}, d[3] = {0}, t = 1;
  __enzyme_autodiff((void*)f, enzyme_dup, x, d, enzyme_const, &t, 3);
  EQUAL(d[0], 2);
  EQUAL(d[1], 8);
  EQUAL(d[2], 18);
  FINISH
}
