#include "check.h"
typedef struct {
  void* tape;
  double primal;
} A;
extern A __enzyme_augmentfwd(void*, ...);
extern double __enzyme_reverse(void*, ...);
double f(double x) {
  double y = sin(x);
  return y * y * x;
}
int main() {
  double x = 0.8;
  A a = __enzyme_augmentfwd((void*)f, enzyme_out, x);
  EQUAL(a.primal, f(x));
  double g = __enzyme_reverse((void*)f, enzyme_out, x, 2.0, a.tape);
  EQUAL(g, 2 * DIFFERENCE(f(x), x, 1e-5));
  FINISH
}
