#include "check.h"
extern void __enzyme_autodiff(void*, ...);
double f(double** a, int n) {
  double s = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) s += a[i][j] * a[j][i];
  return s;
}
int main() {
  double r0[2] = {1, 2}, r1[2] = {3, 4}, e0[2] = {0}, e1[2] = {0};
  double* a[2] = {r0, r1};
  double* d[2] = {e0, e1};
  __enzyme_autodiff((void*)f, a, d, 2);
  EQUAL(e0[0], 2);
  EQUAL(e0[1], 6);
  EQUAL(e1[0], 4);
  EQUAL(e1[1], 8);
  FINISH
}
