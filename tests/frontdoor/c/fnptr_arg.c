#include "check.h"
extern double __enzyme_autodiff(void*, ...);
typedef double (*F)(double);
static double a(double x) { return x * x * x; }
static double b(double x) { return cos(x); }
double f(F fn, double x) { return fn(x) * x; }
int main() {
  double x = .6;
  EQUAL(__enzyme_autodiff((void*)f, enzyme_const, (F)a, enzyme_out, x), 4 * x * x * x);
  EQUAL(__enzyme_autodiff((void*)f, enzyme_const, (F)b, enzyme_out, x), cos(x) - x * sin(x));
  FINISH
}
