#include "check.h"
extern double __enzyme_autodiff(void*, ...);
double f(double* a, double* b, int k, int n) {
  double* p = a;
  double s = 0;
  for (int i = 0; i < n; i++) {
    s += *p * *p * (i + 1);
    *p *= 1.1;
    p = (i ^ k) & 1 ? a : b;
  }
  return s;
}
double run(double* v) {
  double a = v[0], b = v[1];
  return f(&a, &b, 1, 6);
}
int main() {
  double v[2] = {1.5, 2.5}, a = 1.5, b = 2.5, da = 0, db = 0;
  __enzyme_autodiff((void*)f, &a, &da, &b, &db, 1, 6);
  EQUAL(da, DIFFERENCE(run(v), (v[0]), 1e-5));
  EQUAL(db, DIFFERENCE(run(v), (v[1]), 1e-5));
  FINISH
}
