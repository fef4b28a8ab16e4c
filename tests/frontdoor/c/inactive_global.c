#include "check.h"
extern double __enzyme_autodiff(void*, double);
double state = 2.0;
double* __enzyme_inactive_global_state = &state;
__attribute__((noinline)) static void set(double x) { state = x; }
__attribute__((noinline)) static double get(void) { return state; }
__attribute__((noinline)) double f(double x) {
  set(x);
  return get() * x;
}
int main() {
  double x = 1.3;
  EQUAL(__enzyme_autodiff((void*)f, x), x);
  FINISH
}
