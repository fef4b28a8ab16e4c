#include "check.h"
extern void* __enzyme_augmentfwd(void*, ...);
extern double __enzyme_reverse(void*, ...);
double f(double x) { return exp(x) * x; }
int main() {
  void* t = __enzyme_augmentfwd((void*)f, enzyme_noret, enzyme_out, 0.5);
  double g = __enzyme_reverse((void*)f, enzyme_noret, enzyme_out, 0.5, 1.0, t);
  EQUAL(g, exp(.5) * 1.5);
  FINISH
}
