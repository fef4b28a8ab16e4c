#include "modes.h"
// Chains from buckets; when there are too many entries, the table doubles and all are put in anew.
typedef struct Entry {
  struct Entry* next;
  unsigned key;
  double value;
} Entry;
typedef struct {
  Entry** bucket;
  unsigned size, count;
} Map;
static void put(Map* m, unsigned key, double value);
static void grow(Map* m) {
  Map larger = {calloc(2 * m->size, sizeof(Entry*)), 2 * m->size, 0};
  for (unsigned i = 0; i < m->size; i++)
    for (Entry *e = m->bucket[i], *next; e; e = next) {
      next = e->next;
      unsigned at = e->key % larger.size;
      e->next = larger.bucket[at];
      larger.bucket[at] = e;
      larger.count++;
    }
  free(m->bucket);
  *m = larger;
}
static void put(Map* m, unsigned key, double value) {
  for (Entry* e = m->bucket[key % m->size]; e; e = e->next)
    if (e->key == key) {
      e->value += value;
      return;
    }
  if (m->count >= m->size) grow(m);
  Entry* e = malloc(sizeof *e);
  *e = (Entry){m->bucket[key % m->size], key, value};
  m->bucket[key % m->size] = e;
  m->count++;
}
double f(double* x) {
  Map m = {calloc(2, sizeof(Entry*)), 2, 0};
  for (unsigned i = 0; i < 15; i++) put(&m, i * 7 % 12, x[i % 3] * (i + 1));
  double s = 0;
  for (unsigned i = 0; i < m.size; i++)
    for (Entry *e = m.bucket[i], *next; e; e = next) {
      next = e->next;
      s += e->value * e->value * (e->key + 1);
      free(e);
    }
  free(m.bucket);
  return s / 1000;
}
int main() {
  CHECK_MODES(f, 3, 0.3, 1.5, 0.8)
  FINISH
}
