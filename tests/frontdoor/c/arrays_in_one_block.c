#include <string.h>

#include "modes.h"
// Two arrays in one block, of which only the run knows where the second begins: which bytes are numbers when the block
// is copied as a whole cannot be told.
typedef struct { long n; } Head;
__attribute__((noinline)) static Head* copied(const Head* h, int n) {
  size_t bytes = sizeof(Head) + 16 * n;
  return memcpy(malloc(bytes), h, bytes);
}
static volatile int many = 4;
double f(double* x) {
  int n = many;
  Head* head = malloc(sizeof(Head) + 16 * n);
  head->n = n;
  long* keys = (long*)(head + 1);
  double* values = (double*)(keys + n);
  for (int i = 0; i < n; i++) keys[i] = i % 3, values[i] = x[i] * x[i];
  Head* other = copied(head, n);
  long* keys_too = (long*)(other + 1);
  double* values_too = (double*)(keys_too + other->n);
  double s = 0;
  for (int i = 0; i < n; i++) s += values_too[i] * values[i] * (1 + keys_too[i]);
  free(head), free(other);
  return s;
}
int main() {
  CHECK_MODES(f, 4, 0.5, -1, 2, 1.5)
  FINISH
}
