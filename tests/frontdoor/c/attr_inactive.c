#include "check.h"
extern double __enzyme_autodiff(void*, double);
__attribute__((noinline, annotate("enzyme_inactive"))) double scale(double x) { return 3 * x; }
double f(double x) { return x * x + scale(x) * x; }
int main() {
  double x = 1.5;
  EQUAL(__enzyme_autodiff((void*)f, x), 2 * x + 3 * x);
  FINISH
}
