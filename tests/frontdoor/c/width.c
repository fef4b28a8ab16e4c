#include "check.h"
typedef struct {
  double a, b, c;
} V3;
extern V3 __enzyme_fwddiff(void*, ...);
double f(double x) { return x * x * x; }
int main() {
  double x = 1.3;
  V3 v = __enzyme_fwddiff((void*)f, enzyme_width, 3, enzyme_dup, x, 1.0, 2.0, 3.0);
  EQUAL(v.a, 3 * x * x);
  EQUAL(v.b, 6 * x * x);
  EQUAL(v.c, 9 * x * x);
  FINISH
}
