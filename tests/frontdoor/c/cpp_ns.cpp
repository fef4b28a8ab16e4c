#include "check.h"
namespace lib {
template <class T>
struct Dual {
  T v;
  T sq() const { return v * v; }
};
double f(const Dual<double>* d) { return d->sq() * d->v; }
}  // namespace lib
template <class... A>
void __enzyme_autodiff(void*, A...);
int main() {
  lib::Dual<double> x{2.0}, d{0.0};
  __enzyme_autodiff((void*)lib::f, &x, &d);
  EQUAL(d.v, 12);
  __enzyme_autodiff((void*)lib::f, enzyme_dup, &x, &d);
  EQUAL(d.v, 24);
  FINISH
}
