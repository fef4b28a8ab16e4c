#include "check.h"
extern double __enzyme_autodiff(void*, ...);
double f(double x) {
  int k = 0;
  double s = x;
again:
  s = s * 0.5 + cos(s);
  if (++k < 7 && s > 0.1) goto again;
  do {
    s *= 1.1;
  } while (s < 3);
  return s;
}
int main() {
  double x = .4;
  EQUAL(__enzyme_autodiff((void*)f, x), DIFFERENCE(f(x), x, 1e-6));
  FINISH
}
