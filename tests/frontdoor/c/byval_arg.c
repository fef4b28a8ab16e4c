#include "check.h"
typedef struct {
  double a[6];
} Big;
extern double __enzyme_autodiff(void*, ...);
extern double __enzyme_fwddiff(void*, ...);
double f(Big b, double x) {
  double s = 0;
  for (int i = 0; i < 6; i++) {
    b.a[i] *= x;
    s += b.a[i] * b.a[i];
  }
  return s;
}
int main() {
  Big b = {{1, 2, 3, 4, 5, 6}}, d = {{1, 0, 0, 0, 0, 1}};
  double x = .5;
  EQUAL(__enzyme_autodiff((void*)f, enzyme_const, b, enzyme_out, x), 91);
  EQUAL(b.a[1], 2);
  EQUAL(__enzyme_fwddiff((void*)f, enzyme_dup, b, d, enzyme_dup, x, 0.0), .25 * 14);
  EQUAL(b.a[1], 2);
  FINISH
}
