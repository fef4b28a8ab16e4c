#include "check.h"
extern double __enzyme_autodiff(void*, double);
extern double my_log1p(double);
void* __enzyme_function_like[2] = {(void*)my_log1p, (void*)"log1p"};
__attribute__((noinline)) double my_log1p(double x) { return log1p(x) + 0 * x; }
double f(double x) { return x * my_log1p(x); }
int main() {
  double x = 1.5;
  EQUAL(__enzyme_autodiff((void*)f, x), log1p(x) + x / (1 + x));
  FINISH
}
