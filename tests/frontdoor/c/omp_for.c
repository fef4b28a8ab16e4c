#include "modes.h"
#include "openmp_one_thread.h"
// flags: -fopenmp -fopenmp=libomp
double f(double* x) {
  double y[12];
#pragma omp parallel for
  for (int i = 0; i < 12; i++) y[i] = sin(x[i % 3] * i);
  double s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < 12; i++) s += y[i] * y[(i + 1) % 12];
  return s;
}
int main() {
  CHECK_MODES(f, 3, 0.5, -1, 0.7)
  FINISH
}
