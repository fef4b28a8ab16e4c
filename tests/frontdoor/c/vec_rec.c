#include "check.h"
extern double __enzyme_autodiff(void*, ...);
typedef double v4 __attribute__((vector_size(32)));
typedef double v8 __attribute__((vector_size(64)));
__attribute__((noinline)) void step(v4* s, int n, double x) {
  v4 t = *s;
  if (n > 0) {
    v4 u = t * t;
    *s = u * x + t;
    step(s, n - 1, x);
    *s = *s * u * t;
  }
}
__attribute__((noinline)) v8 st8(v8 s, int n, double x) {
  if (n == 0) return s;
  v8 u = s * s;
  return st8(u * x + s, n - 1, x) * u;
}
double f(double x) {
  v4 s = {x, 2 * x, .5, 1};
  step(&s, 3, x);
  v8 w = {x, x, x, 1, .1, .2, .3, .4};
  w = st8(w, 2, x);
  long double l = x;
  for (int i = 0; i < 3; i++) {
    l = l * l + x;
    if (l > 100) break;
  }
  return s[0] + s[1] * s[2] + s[3] + w[0] * w[4] + w[7] + (double)l;
}
int main() {
  double x = .6;
  EQUAL(__enzyme_autodiff((void*)f, x), DIFFERENCE(f(x), x, 1e-5));
  FINISH
}
