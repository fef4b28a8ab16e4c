#define ADJOINT 1e-6
#include "modes.h"
#include <math.h>
#include <stdlib.h>
// Nodes hang at one of two links, which a comparison of numbers chooses; their records are copied out whole.
#define TREE(name, first, second)                                                          \
  typedef struct {                                                                         \
    first key;                                                                             \
    second more;                                                                           \
  } name##_record;                                                                         \
  typedef struct name##_node {                                                             \
    struct name##_node *left, *right;                                                      \
    name##_record held;                                                                    \
  } name##_node;                                                                           \
  __attribute__((noinline)) static void name##_set(name##_record* r, double v) {           \
    r->key = v;                                                                            \
    r->more = 1 + v;                                                                       \
  }                                                                                        \
  __attribute__((noinline)) static void name##_walk(name##_node* t, name##_record* to, long* n) { \
    if (!t) return;                                                                        \
    name##_walk(t->left, to, n);                                                           \
    to[(*n)++] = t->held;                                                                  \
    name##_walk(t->right, to, n);                                                          \
  }                                                                                        \
  static double name(const double* x, long n, long walks) {                                \
    name##_record given[8], found[8];                                                      \
    name##_node *pool = malloc((n + 1) * sizeof *pool), *root = 0;                         \
    for (long i = 0; i < n; i++) name##_set(&given[i], x[i]);                              \
    for (long i = 0; i < n; i++) {                                                         \
      name##_node* node = &pool[i];                                                        \
      node->left = node->right = 0;                                                        \
      node->held = given[i];                                                               \
      name##_node** link = &root;                                                          \
      while (*link)                                                                        \
        link = node->held.key < (*link)->held.key ? &(*link)->left : &(*link)->right;      \
      *link = node;                                                                        \
    }                                                                                      \
    if (walks) {                                                                           \
      long k = 0;                                                                          \
      name##_walk(root, found, &k);                                                        \
    } else                                                                                 \
      for (long i = 0; i < n; i++) found[i] = pool[n - 1 - i].held;                        \
    free(pool);                                                                            \
    double sum = 0;                                                                        \
    for (long i = 0; i < n; i++) sum += sin(found[i].key) * (i + 1) + 0.1 * found[i].more; \
    return sum;                                                                            \
  }
TREE(float_int, float, int)
TREE(float_char, float, char)
TREE(float_float, float, float)
TREE(double_float, double, float)
TREE(double_long, double, long)
double f(double* x) {
  double sum = 0;
  for (long walks = 0; walks < 2; walks++) {
    sum += (1 + walks) * float_int(x, 6, walks) + (2 + walks) * float_char(x, 6, walks);
    sum += (3 + walks) * float_float(x, 6, walks) + (4 + walks) * double_float(x, 6, walks);
    sum += (5 + walks) * double_long(x, 6, walks);
  }
  return sum;
}
// The same without trees and records, in double precision.
double plain(double* x) {
  double sum = 0;
  for (long i = 0; i < 6; i++) {
    long before = 0;
    for (long k = 0; k < 6; k++) before += x[k] < x[i];
    sum += sin(x[i]) * (15 * (6 - i) + 20 * (before + 1)) + 0.1 * x[i] * (3 + 4 + 4 + 5);
  }
  return sum;
}
#undef SLOPE
#define SLOPE(expression, variable, step) \
  ((4 * DIFFERENCE(plain(x), variable, (step) / 2) - DIFFERENCE(plain(x), variable, step)) / 3)
#ifdef NESTING
static void exact(double* x, double* d) { __enzyme_autodiff((void*)plain, enzyme_dup, x, d); }
#undef GRADIENT
#define GRADIENT exact
#endif
int main() {
  CHECK_MODES(f, 6, 0.5, 0.25, 1.0, 0.1, 0.2, 0.75)
  FINISH
}
