#include "check.h"
// flags: -fno-discard-value-names
#include <complex.h>
extern double __enzyme_fwddiff(void*, ...);
double f(double _Complex z) { return creal(z * z); }
int main() {
  double _Complex z = 1 + 2 * I, d = 1;
  EQUAL(__enzyme_fwddiff((void*)f, enzyme_dup, z, d), 2);
  FINISH
}
