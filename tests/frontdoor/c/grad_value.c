#include "check.h"
extern double __enzyme_autodiff(void*, ...);
extern double __enzyme_fwddiff(void*, ...);
int n1, n2;
__attribute__((noinline)) double g(double x, double y) { return x * x * y; }
typedef struct {
  void* tape;
  double r;
} A;
A aug_g(double x, double y) {
  n1++;
  A a = {malloc(16), x * x * y};
  ((double*)a.tape)[0] = x;
  ((double*)a.tape)[1] = y;
  return a;
}
typedef struct {
  double dx, dy;
} D;
D rev_g(double x, double y, double seed, void* tape) {
  n2++;
  double* t = (double*)tape;
  D d = {2 * t[0] * t[1] * seed, t[0] * t[0] * seed};
  free(tape);
  return d;
}
void* __enzyme_register_gradient_g[] = {(void*)g, (void*)aug_g, (void*)rev_g};
double f(double x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += g(x, s + i);
  return s;
}
int main() {
  double x = 0.7;
  EQUAL(__enzyme_autodiff((void*)f, x, 4), DIFFERENCE(f(x, 4), x, 1e-5));
  EQUAL(n1, 4);
  EQUAL(n2, 4);
  EQUAL(__enzyme_fwddiff((void*)f, x, 1.0, 4), DIFFERENCE(f(x, 4), x, 1e-5));
  EQUAL(n1, 4);
  FINISH
}
