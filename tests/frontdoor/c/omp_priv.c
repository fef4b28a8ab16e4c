#include "check.h"
#include "openmp_one_thread.h"
// flags: -fopenmp -fopenmp=libomp
extern double __enzyme_autodiff(void*, ...);
double f(double* x, int n, double a) {
  double s = 0, m = 0;
  double t;
#pragma omp parallel for private(t) firstprivate(a) reduction(+ : s) reduction(max : m) schedule(static, 2) \
    num_threads(2)
  for (int i = 0; i < n; i++) {
    t = x[i] * a;
    s += t * t;
    if (x[i] > m) m = x[i];
  }
  return s * m;
}
int main() {
  double x[5] = {1, 2, 3, 4, 2}, d[5] = {0}, a = .5;
  double da = __enzyme_autodiff((void*)f, enzyme_dup, x, d, 5, a);
  for (int i = 0; i < 5; i++) EQUAL(d[i], DIFFERENCE(f(x, 5, a), (x[i]), 1e-6));
  EQUAL(da, DIFFERENCE(f(x, 5, a), a, 1e-6));
  FINISH
}
