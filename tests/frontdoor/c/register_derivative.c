#include "check.h"
extern double __enzyme_fwddiff(void*, ...);
int called = 0;
__attribute__((noinline)) double sq(double x) { return x * x; }
double d_sq(double x, double dx) {
  called++;
  return 2 * x * dx * 100;
}
void* __enzyme_register_derivative_sq[] = {(void*)sq, (void*)d_sq};
double f(double x) { return sq(x) + x; }
int main() {
  double x = 1.3;
  EQUAL(__enzyme_fwddiff((void*)f, x, 1.0), 200 * x + 1);
  EQUAL(called, 1);
  FINISH
}
