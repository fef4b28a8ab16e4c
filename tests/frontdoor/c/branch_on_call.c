#include "modes.h"
#include <math.h>
#include <stdbool.h>
// Which way to go is what a function says that changes what is differentiated.
__attribute__((noinline)) static bool step(double* x, double limit) {
  *x = *x * *x + 0.1;
  return *x > limit;
}
__attribute__((noinline)) static long turns(double* x) {
  *x += sin(*x);
  return *x > 0.5 ? 3 : 4;
}
__attribute__((noinline)) static void up(double* x) { *x = sin(*x) * *x; }
__attribute__((noinline)) static void down(double* x, double by) { *x = cos(*x) + by; }
double f(double* x) {
  double v = x[0];
  if (step(&v, 0.3))
    up(&v);
  else
    down(&v, x[1]);
  for (long k = 0; k < 4; k++) {
    if (step(&v, 0.8))
      down(&v, x[1]);
    else
      up(&v);
    long n = turns(&v);
    for (long i = 0; i < n; i++) up(&v);
    switch (n) {
      case 3: down(&v, 0.5); break;
      case 4: v *= x[1]; break;
    }
  }
  while (step(&v, 0.2)) down(&v, 1.5 * x[1]);
  return v;
}
int main() {
  CHECK_MODES(f, 2, 0.3, 0.7)
  FINISH
}
