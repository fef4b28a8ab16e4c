#include "check.h"
typedef struct {
  double p, a, b, c;
} V;
extern V __enzyme_fwddiff(void*, ...);
double f(double x, double y) { return x * y; }
int main() {
  V v = __enzyme_fwddiff((void*)f, enzyme_primal_return, enzyme_width, 3, enzyme_dup, 2.0, 1.0, 0.0, 1.0,
                         enzyme_dup, 3.0, 0.0, 1.0, 1.0);
  EQUAL(v.p, 6);
  EQUAL(v.a, 3);
  EQUAL(v.b, 2);
  EQUAL(v.c, 5);
  FINISH
}
