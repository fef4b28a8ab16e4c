#include "modes.h"
#include "openmp_one_thread.h"
// flags: -fopenmp -fopenmp=libomp
double f(double* x) {
  double t = x[0], last = 0, p = 1, s = 0, out[6];
#pragma omp parallel for firstprivate(t) lastprivate(last) reduction(* : p)
  for (int i = 0; i < 6; i++) {
    double w[2] = {t * i, x[1]};
    last = w[0] * w[1];
    p *= 1 + 0.1 * last;
    out[i] = last * last;
  }
#pragma omp parallel for schedule(guided) collapse(2) reduction(+ : s)
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 3; j++) s += out[3 * i + j] * x[j];
  return p * last + s;
}
int main() {
  CHECK_MODES(f, 3, 0.5, -1, 0.7)
  FINISH
}
