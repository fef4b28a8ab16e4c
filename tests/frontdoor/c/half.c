#include "check.h"
// flags: -msse2
extern double __enzyme_autodiff(void*, ...);
double f(double x) {
  _Float16 h = (_Float16)x;
  return (double)(h * h) * x;
}
int main() {
  double x = 0.5;
  NEAR(__enzyme_autodiff((void*)f, x), 3 * x * x);
  FINISH
}
