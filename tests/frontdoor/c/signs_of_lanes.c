#include "modes.h"
// Signs of some of several packed numbers are changed on their bits, after these were moved about as integers.
typedef double two __attribute__((vector_size(16)));
typedef long long bits __attribute__((vector_size(16)));

__attribute__((noinline)) static two turned(two v) {
  bits b = (bits)v, first = {b[0], b[0]};
  return (two)(first ^ (bits){0, (long long)(1ULL << 63)}) * v + (two)(b ^ (bits){(long long)(1ULL << 63), 0});
}

double f(double *x) {
  two v = {x[0] * x[1], x[1]}, w = turned(v);
  return w[0] * w[1] + 2 * w[0] - x[2] * w[1];
}

int main() {
  CHECK_MODES(f, 3, 0.5, -1, 2)
  CHECK_MODES(f, 3, -3, 0.75, 0.25)
  FINISH
}
