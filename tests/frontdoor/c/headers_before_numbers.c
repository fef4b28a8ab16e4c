#include <string.h>

#include "modes.h"
// One block holds a header and, behind it, as many numbers or records as the header says: it grows, and is copied.
#define BLOCK(NAME, HEADER, ITEM)                                        \
  typedef struct { HEADER; ITEM v[]; } NAME;                             \
  static NAME* NAME##_push(NAME* h, ITEM a) {                            \
    if (!h || h->n == h->room) {                                         \
      int room = h ? 2 * h->room + 1 : 1, n = h ? h->n : 0;              \
      h = realloc(h, sizeof(NAME) + room * sizeof(ITEM));                \
      h->room = room;                                                    \
      h->n = n;                                                          \
    }                                                                    \
    h->v[h->n++] = a;                                                    \
    return h;                                                            \
  }                                                                      \
  __attribute__((noinline)) static NAME* NAME##_copy(const NAME* h) {    \
    size_t bytes = sizeof(NAME) + h->n * sizeof(ITEM);                   \
    NAME* made = malloc(bytes);                                          \
    return memcpy(made, h, bytes);                                       \
  }
typedef struct { double a; int k; double b; } Both;
typedef struct { const double* p; double a; } Linked;
BLOCK(Numbers, int n; int room, double)
BLOCK(Short, int n; int room, float)
BLOCK(Longer, long n; long room; long used, double)
BLOCK(Records, int n; int room, Both)
BLOCK(Links, int n; int room, Linked)
// Headers need not be whole: what is copied may end in one, and in the middle of the items.
__attribute__((noinline)) static Numbers* part_of(const Numbers* h, size_t bytes) {
  Numbers* made = calloc(1, 256);
  return memcpy(made, h, bytes);
}
static volatile int many = 4;
double f(double* x) {
  int n = many;
  Numbers* numbers = 0;
  Short* small = 0;
  Longer* longer = 0;
  Records* records = 0;
  Links* links = 0;
  for (int i = 0; i < n; i++) {
    numbers = Numbers_push(numbers, x[i] * x[i]);
    small = Short_push(small, i + 0.5f);
    longer = Longer_push(longer, x[i] * x[0]);
    records = Records_push(records, (Both){x[i] * x[i], i % 3, x[i]});
    links = Links_push(links, (Linked){x + i, x[i] * x[1]});
  }
  Numbers* again = Numbers_copy(numbers);
  again->v[1] *= 2;
  double s = 0;
  for (int i = 0; i < again->n; i++) {
    s += again->v[i] * numbers->v[i] * small->v[i] + longer->v[i] * longer->v[0];
    s += records->v[i].a * records->v[i].b * (1 + records->v[i].k) + links->v[i].a * *links->v[i].p;
  }
  size_t sizes[] = {0, 4, 8, 8 + 8 * (size_t)(n - 2)};
  for (int k = 0; k < 4; k++) {
    Numbers* some = part_of(numbers, sizes[k]);
    for (int i = 0; i < n; i++) s += some->v[i] * x[i] * (1 + some->n);
    free(some);
  }
  free(again), free(numbers), free(small), free(longer), free(records), free(links);
  return s;
}
int main() {
  CHECK_MODES(f, 4, 0.5, -1, 2, 1.5)
  FINISH
}
