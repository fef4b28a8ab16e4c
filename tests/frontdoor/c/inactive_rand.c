#include "check.h"
extern double __enzyme_autodiff(void*, ...);
static unsigned seed = 1;
__attribute__((noinline)) double noise(double x) {
  seed = seed * 1103515245u + 12345u;
  return (seed >> 16 & 0x7fff) / 32768.0 + 0 * x;
}
void* __enzyme_inactivefn_noise[] = {(void*)noise};
double f(double x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += x * noise(x) * x;
  return s;
}
int main() {
  double x = .7;
  seed = 1;
  double r = f(x, 4);
  seed = 1;
  double g = __enzyme_autodiff((void*)f, x, 4);
  EQUAL(g, 2 * r / x);
  FINISH
}
