#include "check.h"
extern double __enzyme_autodiff(void*, ...);
typedef struct {
  double a[6];
} Big;
__attribute__((noinline)) double dot(Big x, Big y) {
  double s = 0;
  for (int i = 0; i < 6; i++) s += x.a[i] * y.a[i];
  return s;
}
__attribute__((noinline)) Big mk(double x) {
  Big b;
  for (int i = 0; i < 6; i++) b.a[i] = x * (i + 1);
  return b;
}
double f(double x) {
  Big b = mk(x), c = mk(x * x);
  c.a[2] = 1;
  return dot(b, c);
}
int main() {
  double x = 0.9;
  EQUAL(__enzyme_autodiff((void*)f, x), DIFFERENCE(f(x), x, 1e-5));
  FINISH
}
