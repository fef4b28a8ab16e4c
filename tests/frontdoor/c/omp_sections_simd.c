#include "modes.h"
#include "openmp_one_thread.h"
// flags: -fopenmp -fopenmp=libomp
double f(double* x) {
  double a = 0, b = 0, m = -1e30;
#pragma omp parallel sections
  {
#pragma omp section
    for (int i = 0; i < 3; i++) a += x[i] * x[i];
#pragma omp section
    for (int i = 0; i < 3; i++) b += sin(x[i]);
  }
  double s = 0;
#pragma omp simd reduction(+ : s)
  for (int i = 0; i < 24; i++) s += x[i % 3] * i;
#pragma omp parallel for reduction(max : m)
  for (int i = 0; i < 3; i++) m = x[i] > m ? x[i] : m;
  return a * b + s * m;
}
int main() {
  CHECK_MODES(f, 3, 0.5, -1, 0.7)
  FINISH
}
