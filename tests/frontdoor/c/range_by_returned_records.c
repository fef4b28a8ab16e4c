/* Recursive functions that return addresses with integers, with numbers, and two at once. */
#include "modes.h"
#include <stdlib.h>
struct range { double* first; int count; };
struct best { double* where; double value; };
struct node { double value; struct node *left, *right; };
struct two { struct node *low, *high; };
static struct range larger(double* a, int n) {
  if (n < 3) return (struct range){a, n};
  struct range low = larger(a, n / 2), high = larger(a + n / 2, n - n / 2);
  return *low.first > *high.first ? low : high;
}
static struct best product(double* a, int n) {
  if (n < 3) return (struct best){a, a[0] * a[n - 1]};
  struct best low = product(a, n / 2), high = product(a + n / 2, n - n / 2);
  return low.value > high.value ? low : high;
}
static struct two split(struct node* t, double key) {
  if (!t) return (struct two){NULL, NULL};
  if (t->value < key) {
    struct two rest = split(t->right, key);
    t->right = rest.low;
    return (struct two){t, rest.high};
  }
  struct two rest = split(t->left, key);
  t->left = rest.high;
  return (struct two){rest.low, t};
}
static double total(struct node* t, double weight) {
  if (!t) return 0;
  double s = weight * t->value * t->value + total(t->left, 0.5 * weight) + total(t->right, 0.3 * weight);
  free(t);
  return s;
}
double f(double* x) {
  double a[9];
  for (int i = 0; i < 9; i++) a[i] = x[i % 3] * (i - 2.3);
  struct range r = larger(a, 9);
  struct best b = product(a, 9);
  double s = r.count * *r.first + b.value * *b.where;
  *r.first = 0;
  *b.where *= 0.5;
  struct node* t = NULL;
  for (int i = 0; i < 9; i++) {
    struct two parts = split(t, a[i]);
    t = malloc(sizeof *t);
    *t = (struct node){a[i], parts.low, parts.high};
  }
  return s + total(t, 1);
}
int main(void) {
  CHECK_MODES(f, 3, 0.5, -1, 0.7)
  FINISH
}
