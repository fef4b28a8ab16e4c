#include "check.h"
extern void __enzyme_autodiff(void*, ...);
__attribute__((noinline)) void axpy(int n, double a, const double* x, double* y) {
  for (int i = 0; i < n; i++) y[i] += a * x[i];
}
int k;
void aug_axpy(int n, double a, const double* x, const double* dx, double* y, double* dy) { axpy(n, a, x, y); }
double rev_axpy(int n, double a, const double* x, double* dx, double* y, double* dy) {
  k++;
  double da = 0;
  for (int i = 0; i < n; i++) {
    da += dy[i] * x[i];
    dx[i] += a * dy[i];
  }
  return da;
}
void* __enzyme_register_gradient_axpy[] = {(void*)axpy, (void*)aug_axpy, (void*)rev_axpy};
double f(double* x, double* y, int n, int m) {
  for (int i = 0; i < m; i++) axpy(n, y[0] * 0.5, x, y);
  double s = 0;
  for (int i = 0; i < n; i++) s += y[i] * y[i];
  return s;
}
double run(double* x, double* y0) {
  double y[2] = {y0[0], y0[1]};
  return f(x, y, 2, 3);
}
int main() {
  double x[2] = {.4, .5}, y[2] = {1, 2}, y0[2] = {1, 2}, dx[2] = {0}, dy[2] = {0};
  __enzyme_autodiff((void*)f, x, dx, y, dy, 2, 3);
  EQUAL(k, 3);
  for (int i = 0; i < 2; i++) {
    EQUAL(dx[i], DIFFERENCE(run(x, y0), (x[i]), 1e-6));
    EQUAL(dy[i], DIFFERENCE(run(x, y0), (y0[i]), 1e-6));
  }
  FINISH
}
