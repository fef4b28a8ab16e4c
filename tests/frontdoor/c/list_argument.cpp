#include "check.h"
#include <list>
// The list is an argument with a shadow; in forward mode it may grow.
extern "C" void __enzyme_autodiff(void*, ...); extern "C" double __enzyme_fwddiff(void*, ...);
double f(std::list<double>* l) {
  double s = 0;
  for (auto v : *l) s += v * v * l->size();
  return s;
}
double g(std::list<double>* l) {
  l->push_back(l->front() * 2);
  double s = 0;
  for (auto v : *l) s += v * v * l->size();
  return s;
}
int main() {
  std::list<double> l{1, 2, 3}, d{0, 0, 0};
  __enzyme_autodiff((void*)f, enzyme_dup, &l, &d);
  int k = 0;
  for (auto v : d) EQUAL(v, 2.0 * 3 * ++k);
  EQUAL(d.size(), 3);
  std::list<double> dt{1, 0, 0};
  EQUAL(__enzyme_fwddiff((void*)g, enzyme_dup, &l, &dt), 4 * (2 + 8.0));
  EQUAL(dt.size(), 4);
  FINISH
}
