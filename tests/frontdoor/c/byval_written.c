// Structures that are too large for registers: a function changes the one that it is given, and nobody else sees it.
#include "modes.h"

typedef struct { double a[3]; } Three;
typedef struct { int k; double m, v[4]; char name[8]; } Named;

__attribute__((noinline)) static Three cleared(Three t) {
  t.a[1] = 0;
  return t;
}
__attribute__((noinline)) static double used(Three t) {
  t.a[0] *= t.a[1];
  return t.a[0];
}
static double twice(double* x) {
  Three t = {{x[0], x[1], 0}}, u = cleared(t);
  return used(t) + u.a[1] + t.a[0] * x[2] + used(t);
}

__attribute__((noinline)) static Named changed(Named r, double y) {
  r.m *= y;
  r.v[r.k] += y * r.m;
  r.k++;
  return r;
}
static double overwritten(double* x) {
  int n = 3 + (x[3] > 0);
  Named a[4], b[4];
  for (int i = 0; i < n; i++) {
    Named r = {i % 2, x[i], {1, 2, 3, x[0]}, "r"};
    a[i] = r, b[n - 1 - i] = changed(r, x[2]);
  }
  a[0] = changed(a[0], x[1]);
  double s = a[0].m * a[0].v[0] + b[1].v[1];
  for (int i = 0; i < n; i++) memcpy(&a[i].m, &b[n - 1 - i].m, 8);
  for (int i = 0; i < n; i++) s += a[i].m * x[i] + a[i].v[a[i].k] * b[i].k;
  return s;
}

__attribute__((noinline)) static double deeper(Named r, int depth) {
  r.v[depth] += r.m * r.m;
  r.m *= 1.5;
  if (depth == 0) return r.v[0] * r.v[1] + r.v[2];
  double below = deeper(r, depth - 1);
  return below + r.m + deeper(r, depth - 1) * r.v[depth];
}
static double recursive(double* x) {
  Named r = {2, x[0], {x[1], x[2], x[3], 1}, "s"};
  return deeper(r, 2) + r.m * r.v[1];
}

// A function of another type is called through a pointer.
static double by_pointer(double* x) {
  double (*volatile f)(Named, int) = x[3] > 0 ? deeper : 0;
  double (*g)(Named, int) = deeper;
  Named r = {1, x[0], {x[1], x[2], 2, 1}, "t"};
  return g(r, 1) * r.v[0] + (f != 0);
}

int main() {
  CHECK_MODES(twice, 4, 0.7, -0.4, 1.3, 0.6)
  CHECK_MODES(overwritten, 4, 0.7, -0.4, 1.3, 0.6)
  CHECK_MODES(recursive, 4, 0.7, -0.4, 1.3, 0.6)
  CHECK_MODES(by_pointer, 4, 0.7, -0.4, 1.3, 0.6)
  FINISH
}
