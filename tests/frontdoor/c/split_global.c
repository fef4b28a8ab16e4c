#include "check.h"
extern void* __enzyme_augmentfwd(void*, ...);
extern double __enzyme_reverse(void*, ...);
static double g[2];
__attribute__((noinline)) static void put(double x) {
  g[0] = x;
  g[1] = x * x;
}
double f(double x) {
  put(x * 2);
  return g[0] * g[1];
}
int main() {
  double x = .5;
  void* t = __enzyme_augmentfwd((void*)f, enzyme_noret, enzyme_out, x);
  double r = __enzyme_reverse((void*)f, enzyme_noret, enzyme_out, x, 3.0, t);
  EQUAL(r, 3 * 24 * x * x);
  FINISH
}
