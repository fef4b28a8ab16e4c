// Records whose numbers begin behind something else, copied in every way, by lengths that are known and that are not.
#include "modes.h"

static long at(double* x, int n) { return (long)(x[3] * 100) % n; }

#define RECORD(name, before, behind, fill)                                                \
  typedef struct { before; double c[2]; behind; } name;                                   \
  static void fill_##name(name* s, double* x, int i) {                                    \
    memset(s, 0, sizeof *s);                                                              \
    for (int j = 0; j < 2; j++) s->c[j] = x[(i + j) % 3] * x[j];                          \
    fill;                                                                                 \
  }                                                                                       \
  static double one_##name(double* x) {                                                   \
    name a;                                                                               \
    long k = at(x, 2);                                                                    \
    for (int j = 0; j < 2; j++) a.c[j] = x[j];                                            \
    name* s = &a;                                                                         \
    int i = 1;                                                                            \
    fill;                                                                                 \
    name t = a;                                                                           \
    return t.c[k] * x[0] + t.c[1];                                                        \
  }                                                                                       \
  static double array_##name(double* x) {                                                 \
    name a[3], t[3];                                                                      \
    long k = at(x, 2);                                                                    \
    for (int i = 0; i < 3; i++) fill_##name(a + i, x, i);                                 \
    memcpy(t, a, sizeof a);                                                               \
    t[(k + 1) % 3] = a[k];                                                                \
    return t[k].c[1 - k] * t[1].c[k] + t[2].c[1];                                         \
  }                                                                                       \
  static double grown_##name(double* x) {                                                 \
    long k = at(x, 2);                                                                    \
    name* h = malloc(sizeof(name));                                                       \
    fill_##name(h, x, 1);                                                                 \
    h = realloc(h, (2 + k) * sizeof(name));                                               \
    fill_##name(h + 1, x, 2);                                                             \
    name* p = malloc(4 * sizeof(name));                                                   \
    memcpy(p, h, (1 + k) * sizeof(name));                                                 \
    free(h);                                                                              \
    p = realloc(p, (1 + k) * sizeof(name));                                               \
    double r = p[0].c[k] * x[1] + p[k].c[1];                                              \
    free(p);                                                                              \
    return r;                                                                             \
  }                                                                                       \
  static double moved_##name(double* x) {                                                 \
    name a[3], b[3];                                                                      \
    long k = at(x, 2);                                                                    \
    for (int i = 0; i < 3; i++) fill_##name(a + i, x, i), fill_##name(b + i, x, 2 * i);   \
    memmove(a + k, b, (3 - k) * sizeof(name));                                            \
    double r = a[1].c[k] * x[1];                                                          \
    for (int i = 0; i < 3 - k; i++) b[i + k] = a[i];                                      \
    memmove(b + 1, b, (2 - k) * sizeof(name));                                            \
    return r + b[k].c[1 - k] * b[2].c[0];                                                 \
  }
#define NONE struct {}
#define ALL(DO)                                                                  \
  DO(Plain, NONE, NONE, )                                                        \
  DO(Int, int k, NONE, s->k = i)                                                 \
  DO(Behind, NONE, int k, s->k = i)                                              \
  DO(Both, int k, char l, (s->k = 3, s->l = i))                                  \
  DO(Long, long k, NONE, s->k = i)                                               \
  DO(Longs, long k[2], NONE, (s->k[0] = i, s->k[1] = 7))                         \
  DO(Floats, float k[3], NONE, (s->k[0] = i, s->k[2] = x[0]))                    \
  DO(Pointer, double* p, NONE, s->p = x)                                         \
  DO(Pointers, int k, double* p, (s->k = 2, s->p = x + 1))                       \
  DO(Nested, struct { int q; double u; } m[3], int k, (s->m[1].q = i, s->m[1].u = x[1], s->k = i)) \
  DO(Extended, long double k, NONE, s->k = x[1])                                 \
  DO(Unset, int k, char l[9], )

#define ONE(f)                                                        \
  {                                                                   \
    int before = wrong;                                               \
    CHECK_MODES(f, 4, 0.7, -0.4, 1.3, 0.015)                          \
    CHECK_MODES(f, 4, 0.7, -0.4, 1.3, 0.005)                          \
    if (wrong > before) printf("%s\n", #f);                           \
  }
#define CHECK(name, ...) ONE(one_##name) ONE(array_##name) ONE(grown_##name) ONE(moved_##name)
ALL(RECORD)
int main() {
  ALL(CHECK)
  FINISH
}
