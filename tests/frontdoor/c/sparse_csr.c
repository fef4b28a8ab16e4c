#include "modes.h"
// A product with rows of different lengths, in a power iteration.
typedef struct {
  int rows;
  const int *start, *column;
  double* value;
} Csr;
static void multiply(const Csr* m, const double* x, double* y) {
  for (int r = 0; r < m->rows; r++) {
    double s = 0;
    for (int k = m->start[r]; k < m->start[r + 1]; k++) s += m->value[k] * x[m->column[k]];
    y[r] = s;
  }
}
double f(double* x) {
  static const int start[] = {0, 2, 5, 6, 8}, column[] = {0, 1, 0, 1, 3, 2, 1, 3};
  double value[8];
  for (int i = 0; i < 8; i++) value[i] = x[i % 3] + 0.1 * i;
  Csr m = {4, start, column, value};
  double v[4] = {1, 0.5, 0.25, 1}, w[4];
  for (int k = 0; k < 6; k++) {
    multiply(&m, v, w);
    double norm = 0;
    for (int i = 0; i < 4; i++) norm += w[i] * w[i];
    norm = sqrt(norm);
    for (int i = 0; i < 4; i++) v[i] = w[i] / norm;
  }
  return v[0] + 2 * v[1] - v[3];
}
int main() {
  CHECK_MODES(f, 3, 1, 2, 0.5)
  FINISH
}
