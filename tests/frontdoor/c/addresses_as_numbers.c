#include <stdint.h>
#include <stdlib.h>

#include "modes.h"
// Addresses that are numbers for a while: rounded up, walked by, chosen between, and put back.
static double *rounded(void *raw, uintptr_t to) { return (double *)(((uintptr_t)raw + to - 1) & ~(to - 1)); }

__attribute__((noinline)) static double walked(double *from, double *to) {
  double s = 0;
  for (uintptr_t p = (uintptr_t)from; p < (uintptr_t)to; p += sizeof(double)) s = 0.5 * s + *(double *)p * *(double *)p;
  return s;
}

double f(double *x) {
  char *raw = malloc(256), *other = malloc(256);
  double *a = rounded(raw, 64), *b = rounded(other, 32);
  for (int i = 0; i < 4; i++) {
    a[i] = x[i] * x[i];
    b[3 - i] = x[i] * a[i];
  }
  uintptr_t at = x[0] > x[1] ? (uintptr_t)a : (uintptr_t)b;
  double s = 0;
  for (int i = 0; i < 4; i++) {
    s += *(double *)at * x[i];
    at += sizeof(double);
  }
  s += *(double *)((uintptr_t)a + 8 * (x[2] > 1 ? 2 : 3));
  s += walked(b, b + 4);
  free(raw);
  free(other);
  return s;
}

int main() {
  CHECK_MODES(f, 4, 0.5, -1, 2, 1.5)
  CHECK_MODES(f, 4, -1, 0.5, 2, 0.25)
  FINISH
}
