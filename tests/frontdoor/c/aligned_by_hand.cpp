#include <cstdint>
#include <cstdlib>

#include "modes.h"
// Memory that is rounded to a boundary by hand, with the address that is freed kept in front of it, as libraries do
// that use vector instructions; small arrays stand on the stack, large ones on the heap, or somebody else has them.
static void* made(size_t bytes) {
  void* p = malloc(bytes + 64);
  if (!p) return nullptr;
  void* q = (void*)(((uintptr_t)p & ~(uintptr_t)63) + 64);
  ((void**)q)[-1] = p;
  return q;
}

static void drop(void* q) {
  if (q) free(((void**)q)[-1]);
}

struct Scratch {
  double* values;
  int* order;
  long size;
};

__attribute__((noinline)) static void fill(double* to, int* order, const double* x, int n) {
  for (int i = 0; i < n; i++) {
    to[i] = x[i] * x[(i + 1) % n];
    order[i] = (3 * i + 1) % n;
  }
  for (int i = 0; i + 1 < n; i += 2) {
    int k = order[i];
    order[i] = order[i + 1];
    order[i + 1] = k;
  }
}

__attribute__((noinline)) static double use(const double* v, const int* order, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s = 0.7 * s + v[order[i]] * v[i];
  return s;
}

__attribute__((noinline)) static double work(const double* x, int n, bool large, Scratch& given) {
  size_t bytes = n * sizeof(double);
  double *v, *mine = nullptr;
  if (given.values) {
    v = given.values;
  } else if (large) {
    v = mine = (double*)made(bytes);
  } else {
    v = (double*)(((uintptr_t)__builtin_alloca(bytes + 31) + 31) & ~(uintptr_t)31);
  }
  int* order = given.order ? given.order : (int*)made(n * sizeof(int));
  fill(v, order, x, n);
  double s = use(v, order, n);
  if (mine) drop(mine);
  if (!given.order) drop(order);
  return s;
}

extern "C" double f(double* x) {
  Scratch none = {nullptr, nullptr, 0}, some = {(double*)made(5 * sizeof(double)), (int*)made(5 * sizeof(int)), 5};
  double s = work(x, 5, x[0] > 1, none) + 2 * work(x, 5, false, some);
  drop(some.values);
  drop(some.order);
  return s;
}

int main() {
  CHECK_MODES(f, 5, 0.5, -1, 2, 1.5, 0.3)
  CHECK_MODES(f, 5, 1.25, 0.5, -2, 0.25, 0.8)
  FINISH
}
