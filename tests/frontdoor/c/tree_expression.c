#include "modes.h"
// A tree of operators, made by a parser of prefix notation.
typedef struct Tree {
  char op;
  struct Tree *left, *right;
  double value;
} Tree;
static Tree* parse(const char** text, const double* x) {
  Tree* t = calloc(1, sizeof *t);
  t->op = *(*text)++;
  if (t->op >= 'a' && t->op <= 'c') {
    t->value = x[t->op - 'a'];
    return t;
  }
  t->left = parse(text, x);
  if (t->op != 's') t->right = parse(text, x);
  return t;
}
static double evaluate(const Tree* t) {
  switch (t->op) {
    case '+': return evaluate(t->left) + evaluate(t->right);
    case '*': return evaluate(t->left) * evaluate(t->right);
    case '/': return evaluate(t->left) / evaluate(t->right);
    case 's': return sin(evaluate(t->left));
    default: return t->value;
  }
}
static void drop(Tree* t) {
  if (!t) return;
  drop(t->left);
  drop(t->right);
  free(t);
}
double f(double* x) {
  const char* text = "*+a*bcs/a+bb";
  Tree* t = parse(&text, x);
  double v = evaluate(t);
  drop(t);
  return v;
}
int main() {
  CHECK_MODES(f, 3, 0.5, 1.5, 0.7)
  FINISH
}
