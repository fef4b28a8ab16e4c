#include "check.h"
extern double __enzyme_autodiff(void*, ...);
extern double __enzyme_fwddiff(void*, ...);
typedef struct {
  int n, cap;
  double* a;
} Vec;
__attribute__((noinline)) static void push(Vec* v, double x) {
  if (v->n == v->cap) {
    v->cap = v->cap ? 2 * v->cap : 1;
    v->a = (double*)realloc(v->a, v->cap * sizeof(double));
  }
  v->a[v->n++] = x;
}
double f(double x, int n) {
  Vec v = {0, 0, 0};
  for (int i = 0; i < n; i++) push(&v, i ? v.a[i - 1] * x + sin(x * i) : x);
  v.a = (double*)realloc(v.a, 3 * sizeof(double));
  double s = 0;
  for (int i = 0; i < 3; i++) s += v.a[i] * v.a[i];
  free(v.a);
  return s;
}
int main() {
  double x = .6;
  for (int k = 0; k < 3; k++) {
    EQUAL(__enzyme_autodiff((void*)f, x, 9), DIFFERENCE(f(x, 9), x, 1e-5));
    EQUAL(__enzyme_fwddiff((void*)f, x, 1.0, 9), DIFFERENCE(f(x, 9), x, 1e-5));
  }
  FINISH
}
