#include "check.h"
#include <stdatomic.h>
extern double __enzyme_autodiff(void*, ...);
_Atomic int counter;
double f(double x) {
  atomic_fetch_add(&counter, 1);
  return x * x;
}
int main() {
  double x = 1.1;
  EQUAL(__enzyme_autodiff((void*)f, x), 2 * x);
  FINISH
}
