#include "check.h"
#include "openmp_one_thread.h"
// flags: -fopenmp -fopenmp=libomp
extern double __enzyme_autodiff(void*, ...);
double f(double* x, double* y, int n) {
  double s = 0;
#pragma omp parallel for reduction(+ : s) schedule(dynamic, 2)
  for (int i = 0; i < n; i++) {
    y[i] = x[i] * x[i];
    s += y[i] * y[i];
  }
#pragma omp parallel
  {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < n; i++) y[i] *= 2;
#pragma omp critical
    s += y[0];
#pragma omp single
    s *= 2;
  }
  return s;
}
int main() {
  double x[4] = {1, 2, 3, 4}, d[4] = {0}, y[4], dy[4] = {0};
  __enzyme_autodiff((void*)f, x, d, y, dy, 4);
  for (int i = 0; i < 4; i++) EQUAL(d[i], 8 * x[i] * x[i] * x[i] + (i == 0 ? 8 * x[0] : 0));
  FINISH
}
