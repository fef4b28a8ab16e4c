#include "check.h"
template <class R, class... A>
R __enzyme_autodiff(void*, A...);
template <class R, class... A>
R __enzyme_fwddiff(void*, A...);
double f(double x) { return x * x * x; }
int main() {
  double x = 2;
  EQUAL(__enzyme_autodiff<double>((void*)f, x), 12);
  EQUAL(__enzyme_fwddiff<double>((void*)f, enzyme_dup, x, 0.5), 6);
  FINISH
}
