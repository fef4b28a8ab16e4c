#include "check.h"
extern double __enzyme_autodiff(void*, ...);
static double table[4] = {1, 2, 3, 4};
__attribute__((noinline)) double* lookup(double x) { return table + ((int)(x * 10) & 3); }
void* __enzyme_inactivefn_lookup[] = {(void*)lookup};
double f(double x) { return *lookup(x) * x; }
int main() {
  EQUAL(__enzyme_autodiff((void*)f, .7), 4);
  FINISH
}
