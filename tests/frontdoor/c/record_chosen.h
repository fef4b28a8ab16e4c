// One of two records of eight bytes, chosen in a function of its own by what they hold, passed and returned whole.
// `CHOOSE` says how that function is called, `TABLE` what has to be there for that.
#define CHOICE(F, name, before, behind)                                                              \
  typedef struct { before; F v; behind; } name;                                                      \
  __attribute__((noinline)) static name larger_##name(name r, name o) { return r.v > o.v ? r : o; }  \
  __attribute__((noinline)) static name unless_##name(name r, name o) {                              \
    name t = r;                                                                                      \
    if (o.v > 0.3f) t = o;                                                                           \
    return t;                                                                                        \
  }                                                                                                  \
  TABLE(name)                                                                                        \
  static double all_##name(double* x, long n, long k) {                                                    \
    name a[8], b[8];                                                                                 \
    double s = 0;                                                                                    \
    for (long i = 0; i < n; i++) b[i].v = x[i] * x[0], b[i].c = i % 3;                               \
    for (long i = 0; i < n; i++) a[i] = CHOOSE(larger, name, 0)(b[i], b[(i + 1) % n]);                         \
    for (long i = 0; i < n; i++) s += a[i].v * (1 + a[i].c) * (i + 1);                               \
    for (long i = 0; i < n; i++) a[i] = CHOOSE(unless, name, 1)(b[i], a[(i + 1) % n]);                         \
    for (long i = 0; i < n; i++) s += a[i].v * (1 + a[i].c) * (i + 2);                               \
    return s;                                                                                        \
  }
#define NONE struct {}
#define ALL(DO, F, N)     \
  DO(F, N##Behind, NONE, int c)   \
  DO(F, N##Int, int c, NONE)      \
  DO(F, N##Char, signed char c, NONE)
ALL(CHOICE, float, F)
ALL(CHOICE, double, D)
double f(double* x) { return all_FBehind(x, 4, x[1] > 0) + 2 * all_FInt(x, 4, x[1] > 0) + 3 * all_FChar(x, 4, x[1] > 0); }
double plain(double* x) { return all_DBehind(x, 4, x[1] > 0) + 2 * all_DInt(x, 4, x[1] > 0) + 3 * all_DChar(x, 4, x[1] > 0); }
#undef SLOPE
#define SLOPE(expression, variable, step) \
  ((4 * DIFFERENCE(plain(x), variable, (step) / 2) - DIFFERENCE(plain(x), variable, step)) / 3)
int main() {
  CHECK_MODES(f, 4, 1.0, 0.25, 0.5, 0.125)
  FINISH
}
