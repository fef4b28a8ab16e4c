#include "check.h"
#include "openmp_one_thread.h"
// flags: -fopenmp -fopenmp=libomp
extern void __enzyme_autodiff(void*, ...);
void f(double* x, double* y, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) y[i] = x[i] * x[i];
}
int main() {
  double x[4] = {1, 2, 3, 4}, d[4] = {0}, y[4], dy[4] = {1, 1, 1, 1};
  __enzyme_autodiff((void*)f, x, d, y, dy, 4);
  EQUAL(d[0], 2);
  EQUAL(d[3], 8);
  FINISH
}
