// Records with integers of all sizes and gaps behind them, copied whole, and indexed by numbers that only the run knows.
#include "modes.h"

#define RECORD(name, before, between, behind, fill)                                        \
  typedef struct { before; double v; between; double c[3]; behind; } name;                 \
  __attribute__((noinline)) static void assign_##name(name* a, const name* b) { *a = *b; } \
  static double once_##name(double* x) {                                                   \
    int k = (int)x[2] % 3;                                                                 \
    double sum = 0;                                                                        \
    for (int i = 0; i < 3; i++) {                                                          \
      name s;                                                                              \
      s.v = x[1], s.c[0] = x[0], s.c[1] = x[1], s.c[2] = 0.1 * i;                          \
      fill;                                                                                \
      name t = s;                                                                          \
      sum += 0.3 * sin(t.c[k]);                                                            \
      sum += 0.2 * sin(s.c[k]);                                                            \
    }                                                                                      \
    return sum * x[0];                                                                     \
  }                                                                                        \
  static double often_##name(double* x) {                                                  \
    int k = (int)x[2] % 3;                                                                 \
    double sum = 0;                                                                        \
    for (int i = 0; i < 3; i++) {                                                          \
      name s = {.v = x[i] * x[0], .c = {x[0], 0.25, 0.1 * i}}, t = s, u[2];                \
      fill;                                                                                \
      sum += t.c[k] * sin(s.c[(k + i) % 3]) + t.v;                                         \
      t.c[(k + 1) % 3] = x[1] * s.v;                                                       \
      memcpy(u, &t, sizeof t);                                                             \
      assign_##name(u + 1, u);                                                             \
      u[i % 2] = u[1 - i % 2];                                                             \
      sum += u[i % 2].c[(k + 1 + i) % 3] * u[k % 2].v;                                     \
    }                                                                                      \
    return sum;                                                                            \
  }
#define NONE struct {}
#define ALL(DO)                                                                         \
  DO(Plain, NONE, NONE, NONE, )                                                         \
  DO(Int, NONE, int k, NONE, s.k = k)                                                   \
  DO(Second, double w, int k, NONE, (s.w = x[0], s.k = k))                              \
  DO(Ints, int j, int k, int l, (s.j = 1, s.k = k, s.l = i))                            \
  DO(Char, char j, char k, char l, (s.j = 'a', s.k = k, s.l = i))                       \
  DO(Short, NONE, short k, short l, (s.k = k, s.l = i))                                 \
  DO(Long, long j, long k, char l, (s.j = i, s.k = k, s.l = 'b'))                       \
  DO(Three, NONE, char k[3], int l, (s.k[k] = 'c', s.l = k))                            \
  DO(Twelve, int j, int k[3], char l[5], (s.j = k, s.k[0] = i, s.k[2] = 7, s.l[k] = 'd')) \
  DO(Bits, NONE, int k : 5; int : 0; int m : 3, unsigned l : 9, (s.k = k, s.m = 1, s.l = i)) \
  DO(Pointer, int j, char* k, int l, (s.j = 1, s.k = "e", s.l = 2))                     \
  DO(Float, NONE, float k, int l, (s.k = x[0], s.l = 2))

#define CHECK(name, ...)                                \
  CHECK_MODES(once_##name, 3, 0.7, -0.4, 3.3)           \
  CHECK_MODES(often_##name, 3, 0.7, -0.4, 3.3)
ALL(RECORD)
int main() {
  ALL(CHECK)
  FINISH
}
