#include "modes.h"
#include <list>
#include <new>
// One place holds a double, then a count or an address, then a double again, and a list leads to all of them.
struct Slot {
  void *next, *before;
  double v;
};
__attribute__((noinline)) static void put(Slot* s, double v) { new (&s->v) double(v); }
__attribute__((noinline)) static void count(Slot* s, long n) { new ((void*)&s->v) long(n); }
__attribute__((noinline)) static long counted(Slot* s) { return *(long*)(void*)&s->v; }
__attribute__((noinline)) static void point(Slot* s, double* to) { new ((void*)&s->v)(double*)(to); }
__attribute__((noinline)) static double pointed(Slot* s) { return **(double**)(void*)&s->v; }
double f(double* x) {
  std::list<double> l;
  for (int i = 0; i < 4; i++) l.push_back(x[i % 3] * i);
  double s = l.size(), other = x[0] * x[2];
  for (double v : l) s += v * v;
  Slot* p = (Slot*)malloc(sizeof(Slot));
  put(p, x[0] * x[1]);
  s += p->v * p->v;
  count(p, -1);
  s += counted(p) * x[2];
  put(p, x[1] * x[2]);
  s += 3 * p->v;
  point(p, &other);
  s += pointed(p) * pointed(p);
  other *= x[1];
  s += pointed(p);
  put(p, x[0] + x[2]);
  s += 2 * p->v * p->v;
  free(p);
  return s;
}
int main() {
  CHECK_MODES(f, 3, 0.5, -1, 2)
  FINISH
}
