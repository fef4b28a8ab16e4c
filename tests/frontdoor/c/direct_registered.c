#include "check.h"
extern double __enzyme_fwddiff(void*, ...);
extern double __enzyme_autodiff(void*, ...);
__attribute__((noinline)) double g(double x) { return x * x; }
double dg(double x, double dx) { return 100 * dx; }
void* __enzyme_register_derivative_g[] = {(void*)g, (void*)dg};
double aug(double x) { return x * x; }
double rev(double x, double s) { return 50 * s; }
void* __enzyme_register_gradient_g[] = {(void*)g, (void*)aug, (void*)rev};
int main() {
  double x = 0.7;
  EQUAL(__enzyme_fwddiff((void*)g, x, 1.0), 100);
  EQUAL(__enzyme_autodiff((void*)g, x), 50);
  FINISH
}
