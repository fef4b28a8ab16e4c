#include "check.h"
typedef struct {
  double a[2];
} V;
extern V __enzyme_autodiff(void*, ...);
double f(double x) { return x * x; }
int main() {
  V v = __enzyme_autodiff((void*)f, enzyme_width, 2, enzyme_out, 0.7);
  EQUAL(v.a[0], 1.4);
  EQUAL(v.a[1], 1.4);
  FINISH
}
