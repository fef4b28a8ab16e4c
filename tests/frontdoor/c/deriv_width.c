#include "check.h"
typedef struct {
  double a, b;
} V;
extern V __enzyme_fwddiff(void*, ...);
double f(double x, double y) {
  double s = x;
  for (int i = 0; i < 3; i++) s = s * y + sin(x);
  return s;
}
int main() {
  double x = .3, y = .4;
  V v = __enzyme_fwddiff((void*)f, enzyme_width, 2, enzyme_dup, x, 1., 0., enzyme_dup, y, 0., 1.);
  EQUAL(v.a, DIFFERENCE(f(x, y), x, 1e-5));
  EQUAL(v.b, DIFFERENCE(f(x, y), y, 1e-5));
  FINISH
}
