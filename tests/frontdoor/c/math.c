#include "check.h"
extern double __enzyme_autodiff(void*, ...);
double f(double x) {
  return fabs(x - 1) * fmax(x, .2) + hypot(x, 2) + atan2(x, 3) + cbrt(x) + log1p(x) + expm1(x) +
         tgamma(x + 1) + erf(x) + fmod(x, .3) + sinh(x) * tanh(x) + pow(x, 2.5) + log2(x) + log10(x) +
         exp2(x) + fma(x, x, x) + copysign(x, -1.) + floor(x * 3) + round(x) + asin(x / 2) + acos(x / 3) +
         acosh(x + 1) + asinh(x) + atanh(x / 4) + lgamma(x + 2) + remainder(x, .7) + ldexp(x, 2) +
         fdim(x, .1) + j0(x) + erfc(x) + nearbyint(x) + trunc(x * 2.2);
}
int main() {
  double x = .8;
  EQUAL(__enzyme_autodiff((void*)f, x), DIFFERENCE(f(x), x, 1e-6));
  FINISH
}
