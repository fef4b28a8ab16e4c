// Records of one pointer are copied by functions that stay calls: clang moves them as integers.
#include "check.h"
#include <stdlib.h>
#include <string.h>
extern double __enzyme_autodiff(void*, ...);
extern double __enzyme_fwddiff(void*, ...);
#define STAYS __attribute__((noinline)) static
typedef struct { double* p; } Ref;
typedef struct { Ref inner; } Outer;
typedef union { double* p; long tag; } Either;
typedef struct { double a; float f; int k; double b[3]; char c; double* p; } Mixed;
STAYS void assign(Ref* a, const Ref* b) { *a = *b; }
STAYS void assign_outer(Outer* a, const Outer* b) { *a = *b; }
STAYS void assign_either(Either* a, const Either* b) { *a = *b; }
STAYS void exchange(Ref* a, Ref* b) { Ref t = *a; *a = *b; *b = t; }
STAYS void choose(Ref* a, const Ref* b, const Ref* c, int k) { *a = k ? *b : *c; }
STAYS void rotate(Ref* a, int n) { Ref t = a[0]; for (int i = 1; i < n; i++) a[i - 1] = a[i]; a[n - 1] = t; if (n > 3) rotate(a, 3); }
STAYS void bytes(void* a, const void* b) { memcpy(a, b, 8); }
static double by_assign(double* x) { Ref a = {x}, b; assign(&b, &a); return *b.p * *b.p * x[1]; }
static double by_outer(double* x) { Outer a, b; a.inner.p = x; assign_outer(&b, &a); return *b.inner.p * b.inner.p[1]; }
static double by_union(double* x) { Either a, b; a.p = x; assign_either(&b, &a); return *b.p * *b.p; }
static double by_exchange(double* x) { Ref a = {x}, b = {x + 1}; exchange(&a, &b); return *a.p * *a.p * *b.p; }
static double by_choice(double* x) { Ref a = {x}, b = {x + 1}, c; choose(&c, &a, &b, x[0] > 1); return *c.p * *c.p; }
static double by_rotation(double* x) { Ref a[5]; for (int i = 0; i < 5; i++) a[i].p = x + i % 2; rotate(a, 5); return *a[0].p * *a[0].p * *a[1].p; }
static double by_bytes(double* x) { Ref a = {x + 1}, b; bytes(&b, &a); return *b.p * *b.p * *b.p; }
static double on_heap(double* x) {
  Ref *a = malloc(8), *b = malloc(8);
  a->p = malloc(16);
  a->p[0] = x[0] * x[1];
  assign(b, a);
  double r = b->p[0] * x[1];
  free(b->p), free(a), free(b);
  return r;
}
static double mixed(double* x) {
  Mixed s[2], t;
  s[0].a = x[0], s[0].f = 0, s[0].k = 3, s[0].c = 'a', s[0].p = x;
  s[0].b[0] = x[1], s[0].b[1] = x[0] * x[1], s[0].b[2] = 2;
  s[1] = s[0];
  s[1].p = x + 1, s[1].a = s[0].a * s[1].p[0];
  t = s[1], s[0] = t;
  t.b[2] = s[0].p[0] * s[1].b[1];
  double r = 0;
  for (int i = 0; i < t.k; i++) r += t.b[i] * s[0].a + s[0].b[i] * t.p[0];
  return r;
}
#define EACH(DO) DO(by_assign) DO(by_outer) DO(by_union) DO(by_exchange) DO(by_choice) DO(by_rotation) DO(by_bytes) DO(on_heap) DO(mixed)
#define GRADIENT(f) static void grad_##f(double* x, double* d) { __enzyme_autodiff((void*)f, x, d); }
EACH(GRADIENT)
#define CHECK(f) { \
  double x[2] = {1.3, 0.7}, h = 1e-4, want[2], hess[2]; \
  for (int i = 0; i < 2; i++) { \
    double u[2] = {1.3, 0.7}, gu[2] = {0, 0}, gl[2] = {0, 0}; \
    u[i] += h; double up = f(u); grad_##f(u, gu); u[i] -= 2 * h; double low = f(u); grad_##f(u, gl); \
    want[i] = (up - low) / (2 * h); hess[i] = (gu[0] - gl[0]) / (2 * h); \
  } \
  double d[2] = {0, 0}; grad_##f(x, d); \
  for (int i = 0; i < 2; i++) { \
    double v[2] = {i == 0, i == 1}, z[2] = {0, 0}, dz[2] = {0, 0}; \
    EQUAL(d[i], want[i]); \
    EQUAL(__enzyme_fwddiff((void*)f, x, v), want[i]); \
    __enzyme_fwddiff((void*)grad_##f, x, v, z, dz); \
    EQUAL(dz[0], hess[i]); \
  } }
int main() {
  EACH(CHECK)
  FINISH
}
