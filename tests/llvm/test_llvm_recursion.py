"""Recursions over linked records, differentiated twice: right, or refused in words, whatever the records are."""

import numpy as np
import pytest

from enzyme import EnzymeError
from enzyme.llvm import autodiff, compile_c
from enzymecore import Active, Const, Duplicated, Forward, Reverse

pytest.importorskip("ziglang")
pytestmark = pytest.mark.rotating(14)

PROGRAM = """
#include <stdlib.h>
extern double __enzyme_fwddiff(void*, ...);
extern void __enzyme_autodiff(void*, ...);
extern int enzyme_const, enzyme_dup;
typedef struct { KEY f; MORE; } T;
typedef struct N { struct N *l, *r; T v; } N;
__attribute__((noinline)) static void walk(N* t, T* a, long* o) {
  if (!t) return;
  walk(t->l, a, o);
  a[(*o)++] = t->v;
  walk(t->r, a, o);
}
double f(double* x, long n) {
  T a[16];
  N *p = malloc((n + 1) * sizeof(N)), *h = 0;
  for (long i = 0; i < n; i++) a[i].f = x[i], a[i].i = i;
  for (long i = 0; i < n; i++) {
    N *q = &p[i], **w = &h;
    q->l = q->r = 0;
    q->v = a[i];
    while (*w) w = q->v.f < (*w)->v.f ? &(*w)->l : &(*w)->r;
    *w = q;
  }
  long o = 0;
  walk(h, a, &o);
  free(p);
  double s = 0;
  for (long i = 0; i < n; i++) s += a[i].f * a[i].f * a[i].f * (i + 1);
  return s;
}
void reverse(double* x, double* g, long n) { __enzyme_autodiff((void*)f, enzyme_dup, x, g, enzyme_const, n); }
double forward(double* x, double* v, long n) {
  return __enzyme_fwddiff((void*)f, enzyme_dup, x, v, enzyme_const, n);
}
"""
X, V = np.array([2.0, 1.5, 3.0]), np.array([1.0, -1.0, 0.5])
PLACES = np.array([2.0, 1.0, 3.0])  # in order of size


@pytest.mark.parametrize(
    "key, more", [("float", "int i"), ("float", "int i, j"), ("double", "long i")]
)
@pytest.mark.parametrize("level", ["-O1", "-O2"])
def test_walks_through_trees(key, more, level):
    program = PROGRAM.replace("KEY", key).replace("MORE", more)
    module = compile_c(program, options=[level])
    first, second = 3 * X**2 * PLACES, 6 * X * V * PLACES
    g = np.zeros(3)
    autodiff(Reverse, module.f, Active, Duplicated(X, g), Const(3))
    np.testing.assert_allclose(g, first, rtol=1e-6)
    (slope,) = autodiff(Forward, module.f, Duplicated(X, V.copy()), Const(3))
    assert slope == pytest.approx(first @ V, rel=1e-6)
    g, h = np.zeros(3), np.zeros(3)
    with pytest.raises(EnzymeError, match="recursive function that is differentiated twice"):
        autodiff(Forward, module.reverse, Duplicated(X, V.copy()), Duplicated(g, h), Const(3))
    d = np.zeros(3)
    autodiff(Reverse, module.forward, Active, Duplicated(X, d), Const(V), Const(3))
    np.testing.assert_allclose(d, second, rtol=1e-6)


RETURNED = """
#include <stdlib.h>
struct node { double value; struct node *left, *right; };
static struct node *insert(struct node *t, double value) {
  if (!t) {
    t = malloc(sizeof *t);
    t->value = value;
    t->left = t->right = 0;
  } else if (value < t->value) t->left = insert(t->left, value);
  else t->right = insert(t->right, value);
  return t;
}
static double walk(struct node *t, double weight) {
  if (!t) return 0;
  double s = weight * t->value * t->value + walk(t->left, 0.5 * weight) + walk(t->right, 0.3 * weight);
  free(t);
  return s;
}
double f(double *x, long n) {
  struct node *t = 0;
  for (long i = 0; i < n; i++) t = insert(t, x[i] * x[(i + 1) % n]);
  return walk(t, 1);
}
"""


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_addresses_that_a_recursion_returns(level):
    module = compile_c(RETURNED, options=[level])
    x, v = np.array([0.5, -1.0, 0.7, 1.3, -0.2]), np.array([1.0, 0.3, -0.4, 0.6, -0.9])
    d, n = np.zeros(5), Const(5)
    autodiff(Reverse, module.f, Active, Duplicated(x, d), n)
    (along,) = autodiff(Forward, module.f, Duplicated(x, v), n)
    assert d @ v == pytest.approx(along, rel=1e-12)
    above, below = (module.f(x + h * v, 5) for h in (1e-6, -1e-6))
    assert (above - below) / 2e-6 == pytest.approx(along, rel=1e-8)
