#include "check.h"
extern void* __enzyme_augmentfwd(void*, ...);
extern void __enzyme_reverse(void*, ...);
void step(double* u, int n) {
  for (int i = 1; i < n; i++) u[i] = u[i] * u[i - 1] + sin(u[i]);
}
int main() {
  double u[4] = {.1, .2, .3, .4}, du[4] = {0, 0, 0, 1};
  void* tapes[5];
  double x0[4];
  memcpy(x0, u, sizeof u);
  for (int k = 0; k < 5; k++) tapes[k] = __enzyme_augmentfwd((void*)step, u, du, 4);
  for (int k = 4; k >= 0; k--) __enzyme_reverse((void*)step, u, du, 4, tapes[k]);
  for (int i = 0; i < 4; i++) {
    double r[2];
    for (int s = 0; s < 2; s++) {
      double v[4];
      memcpy(v, x0, sizeof v);
      v[i] += s ? 1e-5 : -1e-5;
      for (int k = 0; k < 5; k++) step(v, 4);
      r[s] = v[3];
    }
    EQUAL(du[i], (r[1] - r[0]) / 2e-5);
  }
  FINISH
}
