#include "check.h"
typedef struct {
  double a, b;
} P;
extern P __enzyme_autodiff(void*, ...);
double f(double x, double y) { return x * x * y; }
int main() {
  P p = __enzyme_autodiff((void*)f, 2.0, 3.0);
  EQUAL(p.a, 12);
  EQUAL(p.b, 4);
  FINISH
}
