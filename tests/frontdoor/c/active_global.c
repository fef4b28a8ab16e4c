#include "check.h"
extern double __enzyme_autodiff(void*, ...);
static double state;
__attribute__((noinline)) void setit(double x) { state = x * x; }
__attribute__((noinline)) double getit(void) { return state * 3; }
double f(double x) {
  setit(x);
  return getit() * x;
}
int main() {
  double x = 1.1;
  EQUAL(__enzyme_autodiff((void*)f, x), 9 * x * x);
  FINISH
}
