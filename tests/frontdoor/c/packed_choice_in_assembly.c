#include "modes.h"
// The larger and the smaller of packed numbers, asked for by the names of x86's instructions, as Eigen does.
typedef double two __attribute__((vector_size(16)));

static two smaller(two a, two b) {
#if defined(__AVX__)
  two r;
  __asm__("vminpd %[a], %[b], %[r]" : [r] "=x"(r) : [a] "x"(a), [b] "x"(b));
#elif defined(__SSE2__)
  two r = b;
  __asm__("minpd %[a], %[r]" : [r] "+x"(r) : [a] "x"(a));
#else
  two r = {a[0] < b[0] ? a[0] : b[0], a[1] < b[1] ? a[1] : b[1]};
#endif
  return r;
}

static two larger(two a, two b) {
#if defined(__SSE2__) && !defined(__AVX__)
  two r = b;
  __asm__("maxpd %[a], %[r]" : [r] "+x"(r) : [a] "x"(a));
#elif defined(__AVX__)
  two r;
  __asm__("vmaxpd %[a], %[b], %[r]" : [r] "=x"(r) : [a] "x"(a), [b] "x"(b));
#else
  two r = {a[0] > b[0] ? a[0] : b[0], a[1] > b[1] ? a[1] : b[1]};
#endif
  return r;
}

double f(double *x) {
  two a = {x[0], x[1]}, b = {x[2], x[3]};
  two low = smaller(a, b * b), high = larger(a * b, b);
  return low[0] * high[1] + 3 * low[1] * low[1] - 2 * high[0] * a[1];
}

int main() {
  CHECK_MODES(f, 4, 0.5, -1, 2, 1.5)
  CHECK_MODES(f, 4, 3, 0.75, -0.5, 0.25)
  FINISH
}
