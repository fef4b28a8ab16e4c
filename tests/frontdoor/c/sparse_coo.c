#include "modes.h"
// Triplets, some of one place, are added up into rows that are made with calloc.
typedef struct {
  int row, column;
  double value;
} Triplet;
double f(double* x) {
  Triplet* t = malloc(6 * sizeof *t);
  for (int i = 0; i < 6; i++) t[i] = (Triplet){i % 3, (i * 2) % 3, x[i % 4] * (1 + i)};
  double* dense = calloc(9, sizeof *dense);
  for (int i = 0; i < 6; i++) dense[t[i].row * 3 + t[i].column] += t[i].value;
  double s = 0;
  for (int i = 0; i < 9; i++) s += dense[i] * dense[i] * (i + 1);
  free(dense);
  free(t);
  return sqrt(1 + s);
}
int main() {
  CHECK_MODES(f, 4, 1, -2, 0.5, 0.3)
  FINISH
}
