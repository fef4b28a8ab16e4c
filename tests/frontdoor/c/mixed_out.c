#include "check.h"
typedef struct {
  double a;
  float b;
  double c;
} R;
extern R __enzyme_autodiff(void*, ...);
double f(double a, float b, double c) { return a * b * c; }
int main() {
  R r = __enzyme_autodiff((void*)f, 2., 3.f, 4.);
  EQUAL(r.a, 12);
  EQUAL(r.b, 8);
  EQUAL(r.c, 6);
  FINISH
}
