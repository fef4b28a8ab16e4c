// A header and records behind it in one block that grows; records are copied out whole.
#define STACK(F, name, before, behind)                                                    \
  typedef struct { before; F v; behind; } name;                                           \
  typedef struct { int n, room; name held[]; } name##_stack;                              \
  __attribute__((noinline)) static name##_stack* push_##name(name##_stack* s, const name* r) { \
    if (s->n == s->room) {                                                                \
      s->room = 2 * s->room + 1;                                                          \
      s = realloc(s, sizeof *s + s->room * sizeof(name));                                 \
    }                                                                                     \
    s->held[s->n++] = *r;                                                                 \
    return s;                                                                             \
  }                                                                                       \
  static double all_##name(double* x, long n) {                                           \
    name a[8];                                                                            \
    name##_stack* s = malloc(sizeof *s);                                                  \
    double sum = 0;                                                                       \
    s->n = s->room = 0;                                                                   \
    for (long i = 0; i < n; i++) a[i].v = x[i] * x[0];                                    \
    for (long i = 0; i < n; i++) s = push_##name(s, &a[i]);                               \
    for (long i = 0; i < s->n; i++) a[i] = s->held[i];                                    \
    for (long i = 0; i < n; i++) sum += a[i].v * a[i].v * (i + 1);                        \
    free(s);                                                                              \
    return sum;                                                                           \
  }
#define NONE struct {}
STACK(LAYOUT, Here, BEFORE, BEHIND)
STACK(double, Double, BEFORE, BEHIND)
double f(double* x) { return all_Here(x, 4); }
double plain(double* x) { return all_Double(x, 4); }
#undef SLOPE
#define SLOPE(expression, variable, step) \
  ((4 * DIFFERENCE(plain(x), variable, (step) / 2) - DIFFERENCE(plain(x), variable, step)) / 3)
int main() {
  CHECK_MODES(f, 4, 1.5, 2.0, 3.0, 4.0)
  FINISH
}
