#include "check.h"
extern void __enzyme_autodiff(void*, ...);
typedef struct {
  unsigned a : 3, b : 5;
  double v;
  unsigned short c;
  float w;
} S;
double f(S* s) { return s->a * s->v * s->b + s->w * s->c * s->v; }
int main() {
  S s = {3, 7, 2.5, 4, 1.5f}, d;
  memset(&d, 0, sizeof d);
  d.a = 3;
  __enzyme_autodiff((void*)f, &s, &d);
  EQUAL(d.v, 21 + 6);
  EQUAL(d.w, 10);
  FINISH
}
