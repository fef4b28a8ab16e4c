#include "check.h"
extern void __enzyme_autodiff(void*, ...);
typedef struct {
  int id;
  double w[2];
  float q;
  char name[3];
  double* p;
} R;
double f(R* r, int n) {
  R c[3];
  for (int i = 0; i < n; i++) c[i] = r[n - 1 - i];
  double s = 0;
  for (int i = 0; i < n; i++) s += c[i].w[0] * c[i].w[1] * c[i].id + c[i].q * c[i].p[0];
  return s;
}
int main() {
  double b[2] = {2, 3}, db[2] = {0};
  R r[2] = {{1, {2, 3}, 1.5f, "a", b}, {2, {4, 5}, .5f, "b", b + 1}}, d[2];
  memset(d, 0, sizeof d);
  d[0].p = db;
  d[1].p = db + 1;
  d[0].id = 1;
  d[1].id = 2;
  __enzyme_autodiff((void*)f, r, d, 2);
  EQUAL(d[0].w[0], 3);
  EQUAL(d[1].w[1], 8);
  EQUAL(d[0].q, 2);
  EQUAL(db[1], .5);
  FINISH
}
