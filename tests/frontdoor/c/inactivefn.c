#include "check.h"
extern double __enzyme_autodiff(void*, double);
__attribute__((noinline)) double scale(double x) { return 3 * x; }
void* __enzyme_inactivefn[] = {(void*)scale};
double f(double x) { return x * x + scale(x) * x; }
int main() {
  double x = 1.5;
  EQUAL(__enzyme_autodiff((void*)f, x), 2 * x + 3 * x);
  FINISH
}
