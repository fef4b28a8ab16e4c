#include "check.h"
extern double __enzyme_autodiff(void*, ...);
typedef union {
  double d;
  float f[2];
  uint64_t i;
} U;
double f(double x) {
  U u;
  u.d = x * x;
  double y = u.d;
  u.f[0] = (float)(y * 2);
  return u.f[0] * x;
}
int main() {
  double x = 0.9;
  NEAR(__enzyme_autodiff((void*)f, x), 6 * x * x);
  FINISH
}
