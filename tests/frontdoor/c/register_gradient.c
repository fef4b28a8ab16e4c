#include "check.h"
extern double __enzyme_autodiff(void*, double);
double square(double x) { return x * x; }
void aug_f(double* in, double* d_in) {}
__attribute__((noinline)) void f(double* x) { *x = *x * *x; }
static double saved;
void* augment_f(double* x, double* dx) {
  saved = *x;
  *x = *x * *x;
  return (void*)0;
}
int called = 0;
void gradient_f(double* x, double* dx, void* tape) {
  called++;
  *dx = *dx * saved * 2;
}
void* __enzyme_register_gradient_f[] = {(void*)f, (void*)augment_f, (void*)gradient_f};
double g(double x) {
  double y = x;
  f(&y);
  return y * y;
}
int main() {
  double x = 1.3;
  EQUAL(__enzyme_autodiff((void*)g, x), 4 * x * x * x);
  EQUAL(called, 1);
  FINISH
}
