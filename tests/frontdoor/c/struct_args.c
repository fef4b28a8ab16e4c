#include "check.h"
typedef struct {
  double x, y;
} P2;
typedef struct {
  float x, y;
} F2;
extern double __enzyme_autodiff(void*, ...);
static P2 rot(P2 p, double a) {
  P2 r = {p.x * cos(a) - p.y * sin(a), p.x * sin(a) + p.y * cos(a)};
  return r;
}
static F2 fl(F2 p) {
  F2 r = {p.y * p.x, p.x};
  return r;
}
__attribute__((noinline)) P2 half(P2 p) {
  P2 r = {p.x / 2, p.y * p.y};
  return r;
}
double f(double a) {
  P2 p = {1, 2};
  p = half(rot(p, a));
  F2 q = {(float)p.x, (float)p.y};
  q = fl(q);
  return q.x * p.y + q.y;
}
int main() {
  double a = .3;
  NEAR(__enzyme_autodiff((void*)f, a), DIFFERENCE(f(a), a, 1e-3));
  FINISH
}
