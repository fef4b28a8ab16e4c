#include "check.h"
double __enzyme_autodiff(void*, double*, double*, int);
struct Mat {
  int n;
  double* a;
  double& operator()(int i, int j) { return a[i * n + j]; }
};
double f(double* p, int n) {
  Mat m{n, p};
  auto g = [&](int i) {
    double s = 0;
    for (int j = 0; j < n; j++) s += m(i, j) * m(j, i);
    return s;
  };
  double t = 0;
  for (int i = 0; i < n; i++) t += g(i) * g(0);
  return t;
}
int main() {
  double a[9], d[9] = {0};
  for (int i = 0; i < 9; i++) a[i] = 0.3 * i - 1;
  __enzyme_autodiff((void*)f, a, d, 3);
  for (int i = 0; i < 9; i++) EQUAL(d[i], DIFFERENCE(f(a, 3), (a[i]), 1e-5));
  FINISH
}
