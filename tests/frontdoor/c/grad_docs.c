#include "check.h"
extern double __enzyme_autodiff(void*, ...);
int n1, n2;
__attribute__((noinline)) void square_(const double* src, double* dest) { *dest = *src * *src; }
void augment_square_(const double* src, const double* d_src, double* dest, double* d_dest) {
  n1++;
  *dest = *src * *src;
}
void gradient_square_(const double* src, double* d_src, const double* dest, double* d_dest) {
  n2++;
  *d_src += 2 * *src * *d_dest;
  *d_dest = 0;
}
void* __enzyme_register_gradient_square[] = {(void*)square_, (void*)augment_square_, (void*)gradient_square_};
double f(double x) {
  double y, z = x * 3;
  square_(&z, &y);
  return y * x;
}
int main() {
  double x = 0.7;
  EQUAL(__enzyme_autodiff((void*)f, x), 27 * x * x);
  EQUAL(n1, 1);
  EQUAL(n2, 1);
  FINISH
}
