#include "check.h"
#include <stdatomic.h>
extern double __enzyme_autodiff(void*, ...);
static _Atomic double total;
double f(double x) {
  double old = atomic_load(&total);
  atomic_store(&total, old + x * x);
  return x * x;
}
int main() {
  EQUAL(__enzyme_autodiff((void*)f, 2.0), 4);
  FINISH
}
