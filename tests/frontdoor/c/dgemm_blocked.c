#include "modes.h"
// Products in blocks, with strides and both transposes, as BLAS has them.
static void gemm(int m, int n, int k, double alpha, const double* a, int ars, int acs, const double* b, int brs, int bcs,
                 double beta, double* c, int ldc) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) c[i * ldc + j] *= beta;
  for (int kk = 0; kk < k; kk += 2)
    for (int ii = 0; ii < m; ii += 2)
      for (int i = ii; i < m && i < ii + 2; i++)
        for (int p = kk; p < k && p < kk + 2; p++)
          for (int j = 0; j < n; j++) c[i * ldc + j] += alpha * a[i * ars + p * acs] * b[p * brs + j * bcs];
}
double f(double* x) {
  double a[9], b[9], c[9];
  for (int i = 0; i < 9; i++) {
    a[i] = x[i % 3] + i;
    b[i] = x[(i + 1) % 3] * 0.1 * i;
    c[i] = x[2];
  }
  gemm(3, 3, 3, x[0], a, 3, 1, b, 1, 3, x[1], c, 3);
  gemm(3, 3, 3, 0.1, c, 1, 3, c, 3, 1, 0.5, a, 3);
  double s = 0;
  for (int i = 0; i < 9; i++) s += a[i] * a[i];
  return s;
}
int main() {
  CHECK_MODES(f, 3, 0.5, -1, 0.7)
  FINISH
}
