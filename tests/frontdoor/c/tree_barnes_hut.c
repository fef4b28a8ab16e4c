#include "modes.h"
// Bodies on a line in a binary tree; far groups act as one.
typedef struct Cell {
  double low, high, mass, centre;
  int count, body;
  struct Cell* half[2];
} Cell;
static Cell* cell(double low, double high) {
  Cell* c = calloc(1, sizeof *c);
  c->low = low;
  c->high = high;
  c->body = -1;
  return c;
}
static void insert(Cell* c, const double* x, int i) {
  double middle = 0.5 * (c->low + c->high);
  if (c->count == 0) {
    c->body = i;
  } else {
    if (c->count == 1) {
      c->half[0] = cell(c->low, middle);
      c->half[1] = cell(middle, c->high);
      insert(c->half[x[c->body] > middle], x, c->body);
      c->body = -1;
    }
    insert(c->half[x[i] > middle], x, i);
  }
  c->centre = (c->centre * c->mass + x[i]) / (c->mass + 1);
  c->mass += 1;
  c->count++;
}
static double pull(const Cell* c, double at) {
  if (!c || !c->count) return 0;
  double d = c->centre - at;
  if (c->count == 1 || (c->high - c->low) < 0.5 * fabs(d)) return c->mass * d / (0.01 + d * d * fabs(d));
  return pull(c->half[0], at) + pull(c->half[1], at);
}
static void drop(Cell* c) {
  if (!c) return;
  drop(c->half[0]);
  drop(c->half[1]);
  free(c);
}
double f(double* x) {
  Cell* root = cell(-4, 4);
  for (int i = 0; i < 5; i++) insert(root, x, i);
  double s = 0;
  for (int i = 0; i < 5; i++) s += pull(root, x[i]) * (i + 1);
  drop(root);
  return s;
}
int main() {
  CHECK_MODES(f, 5, 0.5, -1.3, 2.1, 3.1, -3)
  FINISH
}
