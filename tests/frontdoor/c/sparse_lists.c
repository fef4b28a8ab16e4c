#include "modes.h"
// Rows as linked lists, sorted when inserted.
typedef struct Entry {
  int column;
  double value;
  struct Entry* next;
} Entry;
static void add(Entry** row, int column, double value) {
  while (*row && (*row)->column < column) row = &(*row)->next;
  if (*row && (*row)->column == column) {
    (*row)->value += value;
    return;
  }
  Entry* made = malloc(sizeof *made);
  made->column = column;
  made->value = value;
  made->next = *row;
  *row = made;
}
double f(double* x) {
  Entry* rows[3] = {0};
  for (int i = 0; i < 8; i++) add(&rows[i % 3], (5 * i) % 4, x[i % 3] * (i + 1));
  double s = 0;
  for (int r = 0; r < 3; r++) {
    double line = 0;
    for (Entry* e = rows[r]; e;) {
      line += e->value * e->value * (e->column + 1);
      Entry* done = e;
      e = e->next;
      free(done);
    }
    s += sqrt(1 + line);
  }
  return s;
}
int main() {
  CHECK_MODES(f, 3, 0.5, 1.5, -1)
  FINISH
}
