#include "check.h"
extern size_t __enzyme_augmentsize(void*, ...);
extern void __enzyme_augmentfwd(void*, ...);
extern void __enzyme_reverse(void*, ...);
void f(double* x, double* y) {
  double t = x[0] * x[1];
  x[0] = exp(t);
  y[0] = x[0] * t;
}
int main() {
  double x[2] = {0.5, 0.7}, dx[2] = {0}, y = 0, dy = 1;
  size_t n = __enzyme_augmentsize((void*)f, enzyme_dup, enzyme_dup);
  void* tape = malloc(n + 8);
  __enzyme_augmentfwd((void*)f, enzyme_allocated, n, enzyme_tape, tape, enzyme_dup, x, dx, enzyme_dup, &y,
                      &dy);
  __enzyme_reverse((void*)f, enzyme_allocated, n, enzyme_tape, tape, enzyme_dup, x, dx, enzyme_dup, &y, &dy);
  double t = 0.35, g = exp(t) * t + exp(t);
  EQUAL(dx[0], g * 0.7);
  EQUAL(dx[1], g * 0.5);
  FINISH
}
