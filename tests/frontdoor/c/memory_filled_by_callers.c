/* Recursive functions return memory in which nothing is active yet, parts of what they were given, or constants. */
#include "modes.h"
#include <stdlib.h>
struct node { double value; struct node* next; };
struct list { struct node* head; int count; };
static const double table[4] = {1.5, 2.5, 3.5, 4.5};
static struct list blank(int n) {
  if (!n) return (struct list){NULL, 0};
  struct list rest = blank(n - 1);
  struct node* made = calloc(1, sizeof *made);
  made->next = rest.head;
  return (struct list){made, rest.count + 1};
}
static struct node* pairs(int n) {
  if (n <= 0) return NULL;
  struct node *a = malloc(sizeof *a), *b = malloc(sizeof *b);
  a->next = b;
  b->next = pairs(n - 2);
  return a;
}
static struct node* last(struct node* t) { return t->next ? last(t->next) : t; }
static const double* pick(const double* a, int n, int depth) {
  if (depth > 3) return table + depth - 4;
  if (n < 2) return a;
  return a[0] > a[1] ? pick(a, n - 1, depth + 1) : pick(a + 1, n - 1, depth + 1);
}
static double eaten(struct node* t, double* x) {
  double s = 0;
  for (int i = 0; t; i++) {
    struct node* old = t;
    s = 0.5 * s + t->value * t->value + x[i % 3];
    t = t->next;
    free(old);
  }
  return s;
}
double f(double* x) {
  struct list one = blank(5);
  struct node *two = pairs(6), constant[4];
  int i = 0;
  for (struct node* p = one.head; p; p = p->next, i++) p->value = x[i % 3] * x[i % 2];
  for (struct node* p = two; p; p = p->next, i++) p->value = x[i % 3] * i;
  for (i = 0; i < 4; i++) {
    constant[i].value = i + 1;
    constant[i].next = i < 3 ? constant + i + 1 : NULL;
  }
  last(constant)->value = x[0] * x[2];
  double s = constant[3].value * constant[3].value * one.count;
  for (i = 1; i < 4; i++) s += *pick(x, i < 3 ? i : 3, i + 1) * x[i % 3];
  return s + eaten(one.head, x) * eaten(two, x);
}
int main(void) {
  CHECK_MODES(f, 3, 0.5, -1, 0.7)
  FINISH
}
