#include "check.h"
#include <map>
double __enzyme_autodiff(void*, double);
double f(double x) {
  std::map<int, double> m;
  for (int i = 0; i < 4; i++) m[i * 7 % 5] = x * i;
  double s = 0;
  for (auto& kv : m) s += kv.second * kv.second;
  return s;
}
int main() {
  double x = 1.5;
  EQUAL(__enzyme_autodiff((void*)f, x), DIFFERENCE(f(x), x, 1e-5));
  FINISH
}
