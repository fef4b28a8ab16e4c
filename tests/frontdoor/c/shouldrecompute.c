#include "check.h"
extern double __enzyme_autodiff(void*, double);
__attribute__((noinline)) double g(double x) { return sin(x) * x; }
void* __enzyme_shouldrecompute[] = {(void*)g};
void* __enzyme_nofree[] = {(void*)g};
double f(double x) { return g(x) * g(x * x); }
int main() {
  double x = 0.9;
  EQUAL(__enzyme_autodiff((void*)f, x), DIFFERENCE(f(x), x, 1e-5));
  FINISH
}
