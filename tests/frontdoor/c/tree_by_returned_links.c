/* Functions that stay calls and return addresses: nodes that they make, take out, or were given. */
#include "modes.h"
#include <stdlib.h>
struct node { double key, value; int count; struct node *left, *right; };
static struct node* insert(struct node* t, double key, double value) {
  if (!t) {
    struct node* made = malloc(sizeof(struct node));
    made->key = key;
    made->value = value;
    made->count = 1;
    made->left = made->right = NULL;
    return made;
  }
  if (key < t->key) t->left = insert(t->left, key, value);
  else t->right = insert(t->right, key, value);
  t->count++;
  return t;
}
static struct node* without(struct node* t, double key) {
  if (!t) return t;
  if (key < t->key) { t->left = without(t->left, key); return t; }
  if (key > t->key) { t->right = without(t->right, key); return t; }
  struct node* other = !t->left ? t->right : !t->right ? t->left : NULL;
  if (other || (!t->left && !t->right)) { free(t); return other; }
  struct node* next = t->right;
  while (next->left) next = next->left;
  t->key = next->key;
  t->value = next->value + 0.5 * t->value;
  t->right = without(t->right, next->key);
  return t;
}
static double total(const struct node* t) {
  return t ? t->value * t->count + 0.5 * total(t->left) - 0.25 * total(t->right) : 0;
}
static void clear(struct node* t) {
  if (!t) return;
  clear(t->left);
  clear(t->right);
  free(t);
}
double f(double* x) {
  struct node* t = NULL;
  for (int i = 0; i < 9; i++) t = insert(t, (i * 5) % 9, x[i % 3] * x[(i + 1) % 3]);
  t = without(t, 5);
  t = without(t, 0);
  t = without(t, 2);
  double s = total(t);
  clear(t);
  return s;
}
int main(void) {
  CHECK_MODES(f, 3, 0.5, -1, 0.7)
  FINISH
}
