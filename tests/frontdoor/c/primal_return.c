#include "check.h"
typedef struct {
  double primal, dx;
} R;
extern R __enzyme_autodiff(void*, ...);
extern R __enzyme_fwddiff(void*, ...);
double f(double x) { return exp(x); }
int main() {
  double x = 1.3;
  R r = __enzyme_autodiff((void*)f, enzyme_primal_return, x);
  EQUAL(r.primal, exp(x));
  EQUAL(r.dx, exp(x));
  r = __enzyme_fwddiff((void*)f, enzyme_primal_return, enzyme_dup, x, 2.0);
  EQUAL(r.primal, exp(x));
  EQUAL(r.dx, 2 * exp(x));
  FINISH
}
