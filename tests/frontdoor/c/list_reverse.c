#include "modes.h"
typedef struct Node {
  struct Node* next;
  double v;
} Node;
static Node* push(Node* head, double v) {
  Node* made = malloc(sizeof *made);
  made->v = v;
  made->next = head;
  return made;
}
static Node* reversed(Node* head) {
  Node* done = NULL;
  while (head) {
    Node* next = head->next;
    head->next = done;
    done = head;
    head = next;
  }
  return done;
}
double f(double* x) {
  Node* list = NULL;
  for (int i = 0; i < 5; i++) list = push(list, x[i % 3] * (i + 1));
  list = reversed(list);
  double s = 0;
  for (Node* n = list; n; n = n->next) s = s * 0.5 + n->v * n->v;
  for (Node *n = list, *next; n; n = next) {
    next = n->next;
    free(n);
  }
  return s;
}
int main() {
  CHECK_MODES(f, 3, 0.5, -1, 0.7)
  FINISH
}
