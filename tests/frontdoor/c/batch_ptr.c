#include "check.h"
extern void __enzyme_batch(void*, ...);
extern int enzyme_buffer;
void f(double* x, double k) { *x = *x * k; }
int main() {
  double x[3] = {1, 2, 3};
  __enzyme_batch((void*)f, enzyme_width, 3, enzyme_buffer, sizeof(double), x, enzyme_scalar, 2.0);
  EQUAL(x[0], 2);
  EQUAL(x[1], 4);
  EQUAL(x[2], 6);
  double a = 1, b = 2;
  __enzyme_batch((void*)f, enzyme_width, 2, enzyme_vector, &a, &b, enzyme_vector, 5.0, 6.0);
  EQUAL(a, 5);
  EQUAL(b, 12);
  FINISH
}
