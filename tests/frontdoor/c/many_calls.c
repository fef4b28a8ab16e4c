#include "check.h"
extern double __enzyme_autodiff(void*, ...);
double a(double x) { return x * x; }
double b(double x) { return a(x) * x; }
double c(double x) { return b(x) + a(x); }
int main() {
  EQUAL(__enzyme_autodiff((void*)a, 2.0), 4);
  EQUAL(__enzyme_autodiff((void*)b, 2.0), 12);
  EQUAL(__enzyme_autodiff((void*)c, 2.0), 16);
  for (int i = 0; i < 3; i++) EQUAL(__enzyme_autodiff((void*)c, (double)i), 3. * i * i + 2 * i);
  FINISH
}
