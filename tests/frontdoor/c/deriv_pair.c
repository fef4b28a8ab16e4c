#include "check.h"
extern double __enzyme_fwddiff(void*, ...);
typedef struct {
  double p, d;
} P;
int n;
__attribute__((noinline)) double g(double x, int k) { return x * k; }
P dg(double x, double dx, int k) {
  n++;
  P r = {x * k, dx * k * 10};
  return r;
}
void* __enzyme_register_derivative_g[] = {(void*)g, (void*)dg};
double f(double x) { return g(x, 3) * x; }
int main() {
  double x = 0.7;
  EQUAL(__enzyme_fwddiff((void*)f, x, 1.0), 30 * x + 3 * x);
  EQUAL(n, 1);
  FINISH
}
