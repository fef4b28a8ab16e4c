// Records of eight bytes and a little more: a float, and something beside it, in one register; moved in every way.
// The same functions with doubles for floats say what is right.
#define ADJOINT 1e-6
#include "modes.h"

#define RECORD(F, name, before, behind, set)                                                   \
  typedef struct { before; F c; behind; } name;                                                \
  static void fill_##name(name* s, double* x, int i) { s->c = x[i % 4] * x[0]; set; }          \
  static double assigned_##name(double* x) {                                                   \
    name a[9], b[9];                                                                           \
    int n = 4 + (x[3] > 0);                                                                    \
    for (int i = 0; i < n; i++) fill_##name(a + i, x, i);                                      \
    for (int i = 0; i < n; i++) b[(i + 1) % n] = a[i];                                         \
    for (int i = 0; i < n; i++) a[n - 1 - i] = b[i];                                           \
    double s = 0;                                                                              \
    for (int i = 0; i < n; i++) s += a[i].c * b[i].c * (i + 1);                                \
    return s;                                                                                  \
  }                                                                                            \
  static double swapped_##name(double* x) {                                                    \
    name a[4];                                                                                 \
    for (int i = 0; i < 4; i++) fill_##name(a + i, x, i);                                      \
    for (int i = 0; i < 3; i++)                                                                \
      for (int j = i + 1; j < 4; j++)                                                          \
        if (a[j].c > a[i].c) {                                                                 \
          name t = a[i];                                                                       \
          a[i] = a[j], a[j] = t;                                                               \
        }                                                                                      \
    return a[0].c * a[1].c + 3 * a[2].c * a[3].c * x[2];                                       \
  }                                                                                            \
  __attribute__((noinline)) static name made_##name(double* x, int i) {                        \
    name r;                                                                                    \
    fill_##name(&r, x, i);                                                                     \
    return r;                                                                                  \
  }                                                                                            \
  __attribute__((noinline)) static double used_##name(name r, double y) {                      \
    r.c *= 2;                                                                                  \
    return r.c * y;                                                                            \
  }                                                                                            \
  static double passed_##name(double* x) {                                                     \
    double s = 0;                                                                              \
    for (int i = 0; i < 4; i++) {                                                              \
      name r = made_##name(x, i);                                                              \
      s += used_##name(r, x[1]) + r.c * x[i];                                                  \
    }                                                                                          \
    return s;                                                                                  \
  }                                                                                            \
  static double constant_##name(double* x) {                                                   \
    name a[4];                                                                                 \
    for (int i = 0; i < 4; i++) {                                                              \
      name r = {.c = 1.5};                                                                     \
      a[i] = r;                                                                                \
      if (x[i] > 0) fill_##name(a + i, x, i);                                                  \
    }                                                                                          \
    double s = 0;                                                                              \
    for (int i = 0; i < 4; i++) s += a[i].c * x[i] * (i + 1);                                  \
    return s;                                                                                  \
  }                                                                                            \
  static double chosen_##name(double* x) {                                                     \
    name a[4], b, best;                                                                        \
    for (int i = 0; i < 4; i++) fill_##name(a + i, x, i);                                      \
    best = a[0];                                                                               \
    for (int i = 1; i < 4; i++)                                                                \
      if (a[i].c < best.c) best = a[i];                                                        \
    b = x[1] > 0 ? a[2] : a[3];                                                                \
    return best.c * x[1] + b.c * x[0];                                                         \
  }                                                                                            \
  static double heaped_##name(double* x) {                                                     \
    int n = 3 + (x[2] > 0);                                                                    \
    name *a = malloc(2 * sizeof(name)), *b = malloc(n * sizeof(name));                         \
    for (int i = 0; i < 2; i++) fill_##name(a + i, x, i + 1);                                  \
    a = realloc(a, n * sizeof(name));                                                          \
    for (int i = 2; i < n; i++) a[i] = a[i - 2], a[i].c *= x[i];                               \
    memcpy(b, a, n * sizeof(name));                                                            \
    memmove(b + 1, b, (n - 1) * sizeof(name));                                                 \
    double s = 0;                                                                              \
    for (int i = 0; i < n; i++) s += b[i].c * a[n - 1 - i].c;                                  \
    free(a);                                                                                   \
    free(b);                                                                                   \
    return s;                                                                                  \
  }
#define ALL(DO)                                                       \
  DO(Int, int k, NONE, s->k = i)                                      \
  DO(Behind, NONE, int k, s->k = i)                                   \
  DO(Short, short k, NONE, s->k = i)                                  \
  DO(Chars, char k[3], char l, (s->k[1] = i, s->l = 3))               \
  DO(Other, float k, NONE, s->k = 2)                                    \
  DO(Three, int k, short l, (s->k = i, s->l = 2))                     \
  DO(Pair, float k[2], int l, (s->k[0] = 1, s->k[1] = 2, s->l = i))   \
  DO(Long, long k, NONE, s->k = i)
#define NONE struct {}
#define BOTH(name, ...) RECORD(float, name, __VA_ARGS__) RECORD(double, name##Double, __VA_ARGS__)

#define LIKE(f, g)                                                    \
  {                                                                   \
    double x[4] = {0.7, -0.4, 1.3, 0.6}, of_f[4] = {0}, of_g[4] = {0};\
    double split[4] = {0}, t[4] = {1, -0.5, 2, 0.25}, along = 0;      \
    int before = wrong;                                               \
    __enzyme_autodiff((void*)f, enzyme_dup, x, of_f);                 \
    __enzyme_autodiff((void*)g, enzyme_dup, x, of_g);                 \
    void* tape = __enzyme_augmentfwd((void*)f, enzyme_dup, x, split); \
    __enzyme_reverse((void*)f, enzyme_dup, x, split, 1.0, tape);      \
    for (int i = 0; i < 4; i++) {                                     \
      AGREE(of_f[i], of_g[i]);                                        \
      AGREE(of_f[i], split[i]);                                       \
      along += t[i] * of_g[i];                                        \
    }                                                                 \
    AGREE(__enzyme_fwddiff((void*)f, enzyme_dup, x, t), along);       \
    if (wrong > before) printf("%s\n", #f);                           \
  }
#define WAYS(name)                                                    \
  LIKE(assigned_##name, assigned_##name##Double)                      \
  LIKE(swapped_##name, swapped_##name##Double)                        \
  LIKE(passed_##name, passed_##name##Double)                          \
  LIKE(constant_##name, constant_##name##Double)                      \
  LIKE(chosen_##name, chosen_##name##Double)                          \
  LIKE(heaped_##name, heaped_##name##Double)
#define CHECK(name, ...) WAYS(name)
ALL(BOTH)
int main() {
  ALL(CHECK)
  FINISH
}
