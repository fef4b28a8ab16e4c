#include "check.h"
extern double __enzyme_autodiff(void*, double);
__attribute__((noinline)) void* my_alloc(int kind, size_t n) { return malloc(n); }
__attribute__((noinline)) void my_free(void* p) { free(p); }
void* __enzyme_allocation_like[4] = {(void*)my_alloc, (void*)1, (void*)"", (void*)my_free};
double f(double x) {
  double* p = (double*)my_alloc(7, 3 * sizeof(double));
  p[0] = x;
  p[1] = x * p[0];
  p[2] = p[1] * sin(p[0]);
  double r = p[2];
  my_free(p);
  return r;
}
int main() {
  double x = 0.9;
  EQUAL(__enzyme_autodiff((void*)f, x), DIFFERENCE(f(x), x, 1e-5));
  FINISH
}
