#include "check.h"
extern double __enzyme_autodiff(void*, ...);
extern double __enzyme_fwddiff(void*, ...);
__attribute__((noinline)) double g(double x) { return x * x * x; }
double aug(double x) { return x * x * x; }
double rev(double x, double s) { return 3 * x * x * s; }
void* __enzyme_register_gradient_g[] = {(void*)g, (void*)aug, (void*)rev};
double f(double x) { return g(x) * x; }
double df(double x) { return __enzyme_autodiff((void*)f, x); }
int main() {
  EQUAL(df(.7), 4 * .7 * .7 * .7);
  EQUAL(__enzyme_fwddiff((void*)df, .7, 1.0), 12 * .49);
  FINISH
}
