#include "check.h"
extern double __enzyme_autodiff(void*, ...);
typedef struct Op {
  void (*run)(struct Op*, double*);
  double k;
} Op;
static void add(Op* o, double* v) { v[0] += o->k; }
static void mul(Op* o, double* v) {
  v[0] *= o->k * v[1];
  v[1] += v[0];
}
double f(double x, int n) {
  Op ops[2] = {{add, x}, {mul, 2 * x}};
  double v[2] = {x, 1};
  for (int i = 0; i < n; i++) {
    Op* o = &ops[i % 2];
    o->run(o, v);
    if (i == 2) {
      Op t = ops[0];
      ops[0] = ops[1];
      ops[1] = t;
    }
  }
  return v[0] + v[1];
}
int main() {
  double x = .6;
  EQUAL(__enzyme_autodiff((void*)f, x, 6), DIFFERENCE(f(x, 6), x, 1e-6));
  FINISH
}
