#include "check.h"
extern "C" double __enzyme_autodiff(void*, double);
#include <new>
struct alignas(64) A {
  double v[8];
};
double f(double x) {
  A* a = new A;
  for (int i = 0; i < 8; i++) a->v[i] = x * i;
  double s = a->v[3] * a->v[5];
  delete a;
  void* m = ::operator new(16, std::nothrow);
  double* q = new (m) double(x * s);
  s = *q;
  ::operator delete(m);
  return s;
}
int main() {
  EQUAL(__enzyme_autodiff((void*)f, 2.0), 45 * 4);
  FINISH
}
