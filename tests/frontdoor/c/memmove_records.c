#define ADJOINT 1e-5
#include "modes.h"
// Records that move onto one another, both ways, with bytes in them that nobody writes.
typedef struct {
  double a;
  int kind;
  double b;
  float c;
} Record;
double f(double* x) {
  Record r[6];
  for (int i = 0; i < 6; i++) {
    r[i].a = x[i % 3] * (i + 1);
    r[i].kind = i;
    r[i].b = x[(i + 1) % 3] * x[0];
    r[i].c = 1;
  }
  memmove(r + 1, r + 2, 4 * sizeof *r);
  memmove(r + 2, r, 3 * sizeof *r);
  double s = 0;
  for (int i = 0; i < 6; i++) s += r[i].a * r[i].b * (r[i].kind + 1) * r[i].c;
  return s;
}
int main() {
  CHECK_MODES(f, 3, 0.5, -1, 0.7)
  FINISH
}
