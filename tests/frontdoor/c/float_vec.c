#include "check.h"
extern void __enzyme_autodiff(void*, ...);
typedef float v4 __attribute__((vector_size(16)));
float f(v4* a, int n) {
  v4 s = {0, 0, 0, 0};
  for (int i = 0; i < n; i++) s += a[i] * a[i];
  return s[0] + 2 * s[1] + s[2] * s[3];
}
int main() {
  v4 a[2] = {{1, 2, 3, 4}, {.5f, 1, 2, 1}}, d[2];
  memset(d, 0, sizeof d);
  __enzyme_autodiff((void*)f, enzyme_dup, a, d, 2);
  NEAR(d[0][0], 2);
  NEAR(d[1][1], 4);
  NEAR(d[0][2], 2 * 3 * 17);
  FINISH
}
