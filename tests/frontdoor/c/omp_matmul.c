#include "modes.h"
#include "openmp_one_thread.h"
// flags: -fopenmp -fopenmp=libomp
double f(double* x) {
  double a[3][3], b[3][3], c[3][3];
#pragma omp parallel for collapse(2)
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      a[i][j] = x[i] + j;
      b[i][j] = x[j] * i;
    }
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        double s = 0;
        for (int k = 0; k < 3; k++) s += a[i][k] * b[k][j];
        c[i][j] = s;
      }
#pragma omp for
    for (int i = 0; i < 3; i++) a[i][0] = c[i][0] * c[2 - i][1];
  }
  double s = 0;
  for (int i = 0; i < 3; i++) s += a[i][0] * c[i][2];
  return s;
}
int main() {
  CHECK_MODES(f, 3, 0.3, 1.5, 0.9)
  FINISH
}
