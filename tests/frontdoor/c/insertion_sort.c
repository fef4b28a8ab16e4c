#include "check.h"
extern void __enzyme_autodiff(void*, ...);
static void sort(double* a, int n) {
  for (int i = 1; i < n; i++)
    for (int j = i; j > 0 && a[j - 1] > a[j]; j--) {
      double t = a[j];
      a[j] = a[j - 1];
      a[j - 1] = t;
    }
}
double f(double* x, int n) {
  double* b = (double*)malloc(n * 8);
  for (int i = 0; i < n; i++) b[i] = x[i] * x[i];
  sort(b, n);
  double s = 0;
  for (int i = 0; i < n; i++) s += (i + 1) * b[i];
  free(b);
  return s;
}
int main() {
  double x[5] = {3, 1, 2, 5, -4}, d[5] = {0};
  __enzyme_autodiff((void*)f, x, d, 5);
  for (int i = 0; i < 5; i++) EQUAL(d[i], DIFFERENCE(f(x, 5), (x[i]), 1e-5));
  FINISH
}
