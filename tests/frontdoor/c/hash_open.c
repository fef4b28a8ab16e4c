#include "modes.h"
// Open addressing with deletions; sums by key.
typedef struct {
  unsigned key;
  char used;
  double sum;
} Slot;
static Slot* find(Slot* table, unsigned size, unsigned key) {
  unsigned at = key * 2654435761u % size;
  while (table[at].used && table[at].key != key) at = (at + 1) % size;
  return &table[at];
}
double f(double* x) {
  unsigned size = 16;
  Slot* table = calloc(size, sizeof *table);
  for (unsigned i = 0; i < 24; i++) {
    Slot* s = find(table, size, i * i % 11);
    s->used = 1;
    s->key = i * i % 11;
    s->sum += x[i % 3] * (i + 1);
  }
  double total = 0;
  for (unsigned k = 0; k < 11; k++) {
    Slot* s = find(table, size, k);
    if (s->used) total += s->sum * s->sum / (k + 1);
  }
  free(table);
  return sqrt(total);
}
int main() {
  CHECK_MODES(f, 3, 0.3, 1.5, 0.8)
  FINISH
}
