#include "check.h"
#include <complex.h>
extern double _Complex __enzyme_fwddiff(void*, ...);
double _Complex f(double x) { return x * x + x * I; }
int main() {
  double _Complex z = __enzyme_fwddiff((void*)f, enzyme_dup, 2.0, 1.0);
  EQUAL(creal(z), 4);
  EQUAL(cimag(z), 1);
  FINISH
}
