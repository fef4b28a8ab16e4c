#include "check.h"
typedef struct {
  double a, b;
} P;
extern P __enzyme_fwddiff(void*, ...);
P f(double x) {
  P r = {x * x, sin(x)};
  return r;
}
int main() {
  P p = __enzyme_fwddiff((void*)f, enzyme_dup, 2.0, 1.0);
  EQUAL(p.a, 4);
  EQUAL(p.b, cos(2));
  FINISH
}
