#include "check.h"
double __enzyme_autodiff(void*, double);
struct Bad {
  int k;
};
__attribute__((noinline)) double chk(double x) {
  if (x < 0) throw Bad{3};
  return sqrt(x) * x;
}
double f(double x) {
  try {
    return chk(x) * 2;
  } catch (Bad& b) {
    return b.k * x;
  }
}
int main() {
  double x = 1.5;
  EQUAL(__enzyme_autodiff((void*)f, x), 3 * sqrt(x));
  FINISH
}
