#include "check.h"
extern void __enzyme_autodiff(void*, ...);
typedef struct __attribute__((packed)) {
  char c;
  double d;
  float f;
} K;
double f(K* k, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += k[i].d * k[i].f * k[i].c;
  return s;
}
int main() {
  K k[2] = {{1, 2., 3.f}, {2, 4., 5.f}}, d[2];
  memset(d, 0, sizeof d);
  __enzyme_autodiff((void*)f, enzyme_dup, k, d, 2);
  EQUAL(d[0].d, 3);
  EQUAL(d[0].f, 2);
  EQUAL(d[1].d, 10);
  EQUAL(d[1].f, 8);
  FINISH
}
