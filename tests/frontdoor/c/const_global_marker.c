#include "check.h"
static int my_const;
extern double __enzyme_autodiff(void*, ...);
double f(double x, double y) { return x * y * y; }
int main() {
  int d = enzyme_const;
  EQUAL(__enzyme_autodiff((void*)f, enzyme_out, 3.0, d, 2.0), 4);
  FINISH
}
