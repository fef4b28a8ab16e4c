#include "check.h"
#include <vector>
double __enzyme_autodiff(void*, double, int);
double f(double x, int n) {
  std::vector<double> v;
  for (int i = 0; i < n; i++) v.push_back(x * i);
  std::vector<double> w(v);
  double s = 0;
  for (size_t i = 0; i < w.size(); i++) s += w[i] * v[i];
  return s;
}
int main() {
  double x = 1.5;
  EQUAL(__enzyme_autodiff((void*)f, x, 5), DIFFERENCE(f(x, 5), x, 1e-5));
  FINISH
}
