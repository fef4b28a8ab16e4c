#include "check.h"
extern double __enzyme_autodiff(void*, ...);
__attribute__((noinline)) static double a(double x) { return x * x; }
__attribute__((noinline)) static double b(double x) { return sin(x); }
typedef double (*F)(double);
F table[2] = {a, b};
__attribute__((noinline)) double apply(F f, double x) { return f(x); }
double f(double x, int k) { return apply(table[k], x) * x; }
int main() {
  double x = 0.9;
  EQUAL(__enzyme_autodiff((void*)f, x, 0), 3 * x * x);
  EQUAL(__enzyme_autodiff((void*)f, x, 1), sin(x) + x * cos(x));
  FINISH
}
