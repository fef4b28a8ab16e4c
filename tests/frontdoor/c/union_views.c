#define ADJOINT 1e-5
#include "modes.h"
// One piece of memory with several names, and a tagged union.
typedef union {
  struct {
    double x, y, z;
  };
  double v[3];
} Vec;
typedef struct {
  int tag;
  union {
    double number;
    float small;
    long count;
  } as;
} Tagged;
static double value(Tagged t) { return t.tag == 0 ? t.as.number : t.tag == 1 ? t.as.small : t.as.count; }
double f(double* x) {
  Vec a = {.v = {x[0], x[1], x[2]}};
  double s = 0;
  for (int i = 0; i < 3; i++) s += a.v[i] * a.x;
  a.y *= a.z;
  Tagged t[3] = {{0, {.number = a.v[1]}}, {2, {.count = 3}}, {0, {.number = x[0]}}};
  double p = 1;
  for (int i = 0; i < 3; i++) p *= value(t[i]);
  return s + p;
}
int main() {
  CHECK_MODES(f, 3, 0.5, -1, 0.7)
  FINISH
}
