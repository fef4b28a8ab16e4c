#include "modes.h"
// Dijkstra's algorithm with a heap of structures; lengths are active.
typedef struct {
  double key;
  int node;
} Item;
typedef struct {
  Item item[32];
  int count;
} Heap;
static void push(Heap* h, Item new) {
  int at = h->count++;
  while (at > 0 && h->item[(at - 1) / 2].key > new.key) {
    h->item[at] = h->item[(at - 1) / 2];
    at = (at - 1) / 2;
  }
  h->item[at] = new;
}
static Item pop(Heap* h) {
  Item top = h->item[0], last = h->item[--h->count];
  int at = 0;
  for (;;) {
    int c = 2 * at + 1;
    if (c >= h->count) break;
    if (c + 1 < h->count && h->item[c + 1].key < h->item[c].key) c++;
    if (h->item[c].key >= last.key) break;
    h->item[at] = h->item[c];
    at = c;
  }
  h->item[at] = last;
  return top;
}
double f(double* x) {
  double length[5][5], distance[5];
  for (int i = 0; i < 5; i++)
    for (int j = 0; j < 5; j++) length[i][j] = 0.3 + x[(i + j) % 4] * x[(i + j) % 4] + 0.11 * ((i * 3 + j * 5) % 7);
  Heap h = {.count = 0};
  for (int i = 0; i < 5; i++) distance[i] = 1e9;
  distance[0] = 0;
  push(&h, (Item){0, 0});
  while (h.count) {
    Item at = pop(&h);
    if (at.key > distance[at.node]) continue;
    for (int j = 0; j < 5; j++) {
      double d = at.key + length[at.node][j];
      if (j != at.node && d < distance[j]) {
        distance[j] = d;
        push(&h, (Item){d, j});
      }
    }
  }
  double s = 0;
  for (int i = 0; i < 5; i++) s += distance[i] * distance[i];
  return s;
}
int main() {
  CHECK_MODES(f, 4, 0.31, 0.62, -0.43, 0.9)
  FINISH
}
