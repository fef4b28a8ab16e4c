/* A registered forward form may return the tangent alone where the function writes no memory. */
#include "check.h"
extern double __enzyme_fwddiff(void*, ...);
__attribute__((noinline)) double dot(double* a, double* b, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += a[i] * b[i];
  return s;
}
static double ten_times(double* a, double* da, double* b, double* db, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += 10 * (da[i] * b[i] + a[i] * db[i]);
  return s;
}
void* __enzyme_register_derivative_dot[] = {(void*)dot, (void*)ten_times};
double f(double* x, int n) { return dot(x, x + 1, n) + x[0]; }
int main(void) {
  double x[3] = {1, 2, 3}, d[3] = {1, 0, 0};
  NEAR(__enzyme_fwddiff((void*)f, enzyme_dup, x, d, enzyme_const, 2), 21);
  FINISH
}
