// Records of an odd number of bytes, of which a variable index picks one: where their numbers stand, nothing says.
#include "modes.h"
typedef struct {
  double v[2];
  char t;
} __attribute__((packed)) Odd;
static double f(double* x) {
  int k = (int)x[5];
  Odd a[4], b[4];
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 2; j++) a[i].v[j] = x[i + j];
  for (int i = 0; i < 4; i++) b[i] = a[i];
  b[0] = a[k];
  return a[1].v[k] * b[1].v[k];
}
int main() {
  CHECK_MODES(f, 6, 0.7, 0.4, -0.3, 1.1, 0.9, 0.5)
  FINISH
}
