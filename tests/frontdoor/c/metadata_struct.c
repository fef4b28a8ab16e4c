#include "check.h"
extern void __enzyme_autodiff(void*, ...);
typedef struct N {
  double v;
  struct N* l;
  struct N* r;
  int tag;
} N;
double sum(N* n) {
  if (!n) return 0;
  return n->v * n->v + sum(n->l) * n->v + sum(n->r);
}
int main() {
  N c = {3, 0, 0, 1}, b = {2, 0, 0, 2}, a = {1, &b, &c, 0};
  N dc = {0, 0, 0, 1}, db = {0, 0, 0, 2}, da = {0, &db, &dc, 0};
  __enzyme_autodiff((void*)sum, &a, &da);
  EQUAL(da.v, 2 * 1 + 4);
  EQUAL(db.v, 4 * 1);
  EQUAL(dc.v, 6);
  FINISH
}
