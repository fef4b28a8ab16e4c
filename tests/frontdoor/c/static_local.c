#include "check.h"
extern double __enzyme_autodiff(void*, ...);
double f(double x) {
  static int calls = 0;
  static double cache[2];
  calls++;
  cache[calls & 1] = x * calls;
  return cache[calls & 1] * x;
}
int main() {
  EQUAL(__enzyme_autodiff((void*)f, 2.0), 4);
  EQUAL(__enzyme_autodiff((void*)f, 2.0), 8);
  FINISH
}
