#include "check.h"
extern double __enzyme_autodiff(void*, ...);
__attribute__((noinline)) double rec(double x, int n) {
  switch (n) {
    case 0:
      return 1;
    case 1:
      return x;
    case 2:
      return x * sin(x);
    default:
      return rec(x, n - 1) * x + rec(x, n - 2);
  }
}
int main() {
  double x = 1.1;
  EQUAL(__enzyme_autodiff((void*)rec, x, 6), DIFFERENCE(rec(x, 6), x, 1e-5));
  FINISH
}
