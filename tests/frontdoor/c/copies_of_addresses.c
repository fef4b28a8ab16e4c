/* Records with addresses are copied before anything active stands behind these. */
#include "modes.h"
#include <stdlib.h>
#include <string.h>
struct buffer { double* data; long number; };
static double total(struct buffer* b, long n) {
  double s = 0;
  for (long i = 0; i < n; i++) {
    s += b[i].data[1] * b[i].data[1] * (b[i].number + 1);
    free(b[i].data);
  }
  free(b);
  return s;
}
static double copied(double* x, long n) {
  struct buffer *a = malloc(n * sizeof *a), *b = malloc(2 * n * sizeof *b);
  for (long i = 0; i < n; i++) {
    a[i].data = malloc(3 * sizeof(double));
    a[i].number = i;
  }
  memcpy(b, a, n * sizeof *a);
  free(a);
  for (long i = 0; i < n; i++) b[i].data[1] = x[i] * x[(i + 1) % n];
  return total(b, n);
}
static double exchanged(double* x, long n) {
  struct buffer *a = NULL, t;
  for (long i = 0, room = 0; i < n; i++) {
    if (i >= room) {
      room = room ? 2 * room : 1;
      a = realloc(a, room * sizeof *a);
    }
    a[i].data = malloc(3 * sizeof(double));
    a[i].number = i;
  }
  memcpy(&t, a, sizeof t);
  memcpy(a, a + n - 1, sizeof t);
  memcpy(a + n - 1, &t, sizeof t);
  for (long i = 0; i < n; i++) a[i].data[1] = x[i] * x[0];
  return total(a, n);
}
double f(double* x) {
  long n = x[0] > 100 ? 2 : 3;
  return copied(x, n) * exchanged(x, n);
}
int main(void) {
  CHECK_MODES(f, 3, 0.5, -1, 0.7)
  FINISH
}
