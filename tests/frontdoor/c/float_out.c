#include "check.h"
typedef struct {
  float a;
  double b;
} Q;
extern Q __enzyme_autodiff(void*, ...);
typedef struct {
  float a, b;
} R;
extern R __enzyme_autodiff_2(void*, ...);
double f(float a, double b) { return a * b; }
float g(float a, float b) { return a * b * b; }
int main() {
  Q q = __enzyme_autodiff((void*)f, 2.f, 3.0);
  EQUAL(q.a, 3);
  EQUAL(q.b, 2);
  R r = __enzyme_autodiff_2((void*)g, 2.f, 3.f);
  EQUAL(r.a, 9);
  EQUAL(r.b, 12);
  FINISH
}
