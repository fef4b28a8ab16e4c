#include "modes.h"
// The generator's state is part of a structure that is passed about.
typedef struct {
  unsigned s[4];
  int used;
  double last, step;
} Walker;
static unsigned next(Walker* w) {
  unsigned t = w->s[3];
  t ^= t << 11;
  t ^= t >> 8;
  w->s[3] = w->s[2];
  w->s[2] = w->s[1];
  w->s[1] = w->s[0];
  w->used++;
  return w->s[0] = t ^ w->s[0] ^ (w->s[0] >> 19);
}
static void walk(Walker* w) { w->last += w->step * (next(w) & 1 ? 1 : -1) * (1 + 0.1 * w->last); }
double f(double* x) {
  Walker w = {{1, 2, 3, 4}, 0, x[0], x[1]};
  double s = 0;
  for (int i = 0; i < 30; i++) {
    walk(&w);
    s += w.last * w.last;
  }
  return s / w.used;
}
int main() {
  CHECK_MODES(f, 2, 1.15, 0.07)
  FINISH
}
