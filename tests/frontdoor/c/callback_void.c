#include "check.h"
extern double __enzyme_autodiff(void*, ...);
typedef struct {
  double k;
  double (*fn)(double, void*);
} Ctx;
static double cube(double x, void* c) { return x * x * x * ((Ctx*)c)->k; }
__attribute__((noinline)) double integrate(Ctx* c, double a, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += c->fn(a * i / n, c);
  return s / n;
}
double f(double x) {
  Ctx c = {x, cube};
  return integrate(&c, x, 10);
}
int main() {
  double x = 1.1;
  EQUAL(__enzyme_autodiff((void*)f, x), DIFFERENCE(f(x), x, 1e-5));
  FINISH
}
