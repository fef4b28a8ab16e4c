// Functions of their own that copy one or some of many records, change one that is passed by value, or assign them one by one.
#include "modes.h"

#define RECORD(F, name, before, behind, ...)                                              \
  typedef struct { before; F u, v; behind; } name;                                        \
  static void fill_##name(name* a, double* x, int n, double by) {                         \
    for (int i = 0; i < n; i++) a[i] = (name){.u = x[i % 4] * by, .v = x[(i + 1) % 4]};   \
  }                                                                                       \
  __attribute__((noinline)) static void one_##name(name* b, name* a) { memcpy(b + 3, a + 1, sizeof(name)); } \
  __attribute__((noinline)) static void some_##name(name* b, name* a) { memcpy(b + 1, a, 5 * sizeof(name)); } \
  __attribute__((noinline)) static void each_##name(name* b, name* a, long n) {           \
    for (long i = 0; i < n; i++) b[i] = a[n - 1 - i];                                     \
  }                                                                                       \
  __attribute__((noinline)) static name set_##name(name r) {                              \
    r.u = 3;                                                                              \
    return r;                                                                             \
  }                                                                                       \
  static double all_##name(double* x) {                                                   \
    name a[9], b[9], *h = malloc(9 * sizeof(name));                                       \
    long n = 8 + (x[3] > 0);                                                              \
    double s = 0;                                                                         \
    fill_##name(a, x, n, 2), fill_##name(b, x, n, x[0]);                                  \
    one_##name(b, a);                                                                     \
    for (int i = 0; i < n; i++) s += b[i].u * b[i].v;                                     \
    some_##name(b, a);                                                                    \
    for (int i = 0; i < n; i++) s += b[i].u * b[i].v * x[1];                              \
    each_##name(h, b, n);                                                                 \
    for (int i = 0; i < n; i++) a[i] = set_##name(h[i]);                                  \
    for (int i = 0; i < n; i++) s += a[i].u * a[i].v * h[n - 1 - i].u;                    \
    free(h);                                                                              \
    return s;                                                                             \
  }
#define NONE struct {}
#define ALL(DO)                      \
  DO(Behind, NONE, int k)            \
  DO(Int, int k, NONE)               \
  DO(Shorts, short k; short l, NONE) \
  DO(Long, long k, NONE)             \
  DO(Chars, char k[3], char l)
#define DOUBLES(name, ...) RECORD(double, name, __VA_ARGS__, )
#define CHECK(name, ...) CHECK_MODES(all_##name, 4, 0.7, -0.4, 1.3, 0.6)
ALL(DOUBLES)
RECORD(float, Single, NONE, int k, )
int main() {
  ALL(CHECK)
  double x[4] = {0.7, -0.4, 1.3, 0.6}, d[4] = {0}, f[4] = {0};
  __enzyme_autodiff((void*)all_Behind, enzyme_dup, x, d);
  __enzyme_autodiff((void*)all_Single, enzyme_dup, x, f);
  for (int i = 0; i < 4; i++) EQUAL(f[i], d[i]);
  FINISH
}
