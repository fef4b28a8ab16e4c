#include "modes.h"
// Functions whose names look like those of derivatives, not inlined, are differentiated as any others.
__attribute__((noinline)) static double rev(double x) { return x * x * x; }
__attribute__((noinline)) static double aug(double x) { return sin(x) * rev(x); }
__attribute__((noinline)) static double fwd(double* x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += aug(x[i]) * rev(x[0]);
  return s;
}
double f(double* x) { return fwd(x, 3); }
double g(double* x) { return f(x); }
__attribute__((noinline)) static double rev_primal(double* x, double* d) {
  __enzyme_autodiff((void*)g, enzyme_dup, x, d);
  return d[0] * d[1];
}
int main() {
  CHECK_MODES(f, 3, 0.5, -1, 2)
  double x[] = {0.5, -1, 2}, d[3] = {0}, t[] = {1, 2, -1}, u[3] = {0}, up[3] = {0}, down[3] = {0};
  double got = __enzyme_fwddiff((void*)rev_primal, enzyme_dup, x, t, enzyme_dup, d, u);
  double above[3], below[3];
  for (int i = 0; i < 3; i++) above[i] = x[i] + 1e-5 * t[i], below[i] = x[i] - 1e-5 * t[i];
  compare(__LINE__, got, (rev_primal(above, up) - rev_primal(below, down)) / 2e-5, 1e-6);
  FINISH
}
