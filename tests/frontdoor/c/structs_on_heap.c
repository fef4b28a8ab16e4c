#include "check.h"
extern double __enzyme_autodiff(void*, ...);
typedef struct {
  int n;
  double* a;
} Vec;
static Vec* mk(int n) {
  Vec* v = (Vec*)malloc(sizeof *v);
  v->n = n;
  v->a = (double*)calloc(n, 8);
  return v;
}
static void del(Vec* v) {
  free(v->a);
  free(v);
}
double f(double x) {
  Vec* u = mk(4);
  for (int i = 0; i < 4; i++) u->a[i] = pow(x, i);
  Vec* w = mk(4);
  memcpy(w->a, u->a, 32);
  for (int i = 0; i < 4; i++) w->a[i] *= u->a[3 - i] + i;
  double s = 0;
  for (int i = 0; i < w->n; i++) s += w->a[i];
  del(u);
  del(w);
  return s;
}
int main() {
  double x = 1.2;
  EQUAL(__enzyme_autodiff((void*)f, x), DIFFERENCE(f(x), x, 1e-5));
  FINISH
}
