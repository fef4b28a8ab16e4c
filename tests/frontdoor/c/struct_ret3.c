#include "check.h"
typedef struct {
  double a, b, c;
} P;
extern P __enzyme_autodiff(void*, ...);
double f(double x, double y, double z) { return x * x * y + z * z; }
int main() {
  P p = __enzyme_autodiff((void*)f, 2.0, 3.0, 4.0);
  EQUAL(p.a, 12);
  EQUAL(p.b, 4);
  EQUAL(p.c, 8);
  FINISH
}
