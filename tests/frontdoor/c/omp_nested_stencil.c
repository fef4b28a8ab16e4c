#include "modes.h"
#include "openmp_one_thread.h"
// flags: -fopenmp -fopenmp=libomp
double f(double* x) {
  double u[8], v[8];
  for (int i = 0; i < 8; i++) u[i] = x[i % 3];
  for (int step = 0; step < 4; step++) {
#pragma omp parallel for schedule(static)
    for (int i = 1; i < 7; i++) v[i] = u[i] + 0.2 * (u[i - 1] - 2 * u[i] + u[i + 1]) * u[i];
#pragma omp parallel for schedule(static)
    for (int i = 1; i < 7; i++) u[i] = v[i];
  }
  double s = 0;
  for (int i = 0; i < 8; i++) s += u[i] * u[i];
  return s;
}
int main() {
  CHECK_MODES(f, 3, 0.5, 1, 0.7)
  FINISH
}
