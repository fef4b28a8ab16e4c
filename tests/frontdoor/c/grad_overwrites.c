#include "check.h"
extern void __enzyme_autodiff(void*, ...);
int n;
__attribute__((noinline)) void sq(double* x, int k) {
  for (int i = 0; i < k; i++) x[i] = x[i] * x[i];
}
double* aug(double* x, double* dx, int k) {
  double* t = (double*)malloc(8 * k);
  memcpy(t, x, 8 * k);
  for (int i = 0; i < k; i++) x[i] = x[i] * x[i];
  return t;
}
void rev(double* x, double* dx, int k, double* t) {
  n++;
  for (int i = 0; i < k; i++) dx[i] = 2 * t[i] * dx[i];
  free(t);
}
void* __enzyme_register_gradient_sq[] = {(void*)sq, (void*)aug, (void*)rev};
double f(double* x, int k, int m) {
  for (int j = 0; j < m; j++) sq(x, k);
  double s = 0;
  for (int i = 0; i < k; i++) s += sin(x[i]) * x[i];
  return s;
}
int main() {
  double x[2] = {.9, .8}, d[2] = {0}, x0[2] = {.9, .8};
  __enzyme_autodiff((void*)f, x, d, 2, 3);
  EQUAL(n, 3);
  for (int i = 0; i < 2; i++) {
    double v = pow(x0[i], 8);
    EQUAL(d[i], (cos(v) * v + sin(v)) * 8 * pow(x0[i], 7));
  }
  FINISH
}
