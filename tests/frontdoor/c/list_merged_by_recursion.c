/* Lists whose heads functions return that call themselves; one makes memory without anything active in it. */
#include "modes.h"
#include <stdlib.h>
struct node { double value; struct node* next; };
static struct node* blank(int n) {
  if (!n) return NULL;
  struct node* made = calloc(1, sizeof(struct node));
  made->next = blank(n - 1);
  return made;
}
static struct node* merged(struct node* a, struct node* b) {
  if (!a) return b;
  if (!b) return a;
  struct node *first = a->value < b->value ? a : b, *second = first == a ? b : a;
  first->next = merged(first->next, second);
  return first;
}
static struct node* sorted(struct node* a) {
  if (!a || !a->next) return a;
  struct node *slow = a, *fast = a->next;
  while (fast && fast->next) { slow = slow->next; fast = fast->next->next; }
  struct node* half = slow->next;
  slow->next = NULL;
  return merged(sorted(a), sorted(half));
}
double f(double* x) {
  struct node* list = blank(7);
  int i = 0;
  for (struct node* p = list; p; p = p->next, i++) p->value = x[i % 3] * (i - 2.3);
  list = sorted(list);
  double s = 0;
  while (list) {
    struct node* old = list;
    s = 0.6 * s + list->value * list->value;
    list = list->next;
    free(old);
  }
  return s;
}
int main(void) {
  CHECK_MODES(f, 3, 0.5, -1, 0.7)
  FINISH
}
