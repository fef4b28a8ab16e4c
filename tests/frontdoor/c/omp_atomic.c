#include "modes.h"
#include "openmp_one_thread.h"
// flags: -fopenmp -fopenmp=libomp
double f(double* x) {
  double bins[4] = {0}, s = 0;
#pragma omp parallel for
  for (int i = 0; i < 12; i++) {
    double v = x[i % 3] * x[i % 3] * i;
#pragma omp atomic
    bins[i % 4] += v;
  }
  for (int i = 0; i < 4; i++) s += bins[i] * bins[i];
  return sqrt(s);
}
int main() {
  CHECK_MODES(f, 3, 0.3, 1.5, 0.9)
  FINISH
}
