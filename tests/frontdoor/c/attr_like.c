#include "check.h"
extern double __enzyme_autodiff(void*, double);
__attribute__((noinline, annotate("enzyme_function_like=log1p"))) double my(double x) { return log(1 + x); }
__attribute__((noinline, annotate("enzyme_math=exp"))) double mye(double x) {
  double s = 1, t = 1;
  for (int i = 1; i < 30; i++) {
    t *= x / i;
    s += t;
  }
  return s;
}
double f(double x) { return x * my(x) + mye(2 * x); }
int main() {
  double x = 1.5;
  EQUAL(__enzyme_autodiff((void*)f, x), log1p(x) + x / (1 + x) + 2 * exp(2 * x));
  FINISH
}
