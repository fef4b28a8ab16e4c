#include "check.h"
typedef struct {
  double a, b, c, d;
} Q;
extern Q __enzyme_autodiff(void*, ...);
double f(double a, double b, double c, double d) { return a * b * c * d; }
int main() {
  Q q = __enzyme_autodiff((void*)f, 1., 2., 3., 4.);
  EQUAL(q.a, 24);
  EQUAL(q.b, 12);
  EQUAL(q.c, 8);
  EQUAL(q.d, 6);
  FINISH
}
