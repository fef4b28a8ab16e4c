#include "check.h"
extern double __enzyme_fwddiff(void*, ...);
int n;
__attribute__((noinline)) void square_(const double* src, double* dest) { *dest = *src * *src; }
void d_square_(const double* src, const double* d_src, double* dest, double* d_dest) {
  n++;
  *dest = *src * *src;
  *d_dest = 2 * *src * *d_src * 10;
}
void* __enzyme_register_derivative_square[] = {(void*)square_, (void*)d_square_};
double f(double x) {
  double y, z = x * 3;
  square_(&z, &y);
  return y + x;
}
int main() {
  double x = 0.7;
  EQUAL(__enzyme_fwddiff((void*)f, x, 1.0), 180 * x + 1);
  EQUAL(n, 1);
  FINISH
}
