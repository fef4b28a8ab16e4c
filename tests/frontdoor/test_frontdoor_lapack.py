"""Programs in C that ask LAPACK for eigenvalues and singular values: workspaces, letters, failures, all nestings.

The routines alone, with all letters and layouts, are in `test_frontdoor_blas`. By default the day chooses (see
`tests/rotation.py`) what runs, of the nestings one with little to compile; ``ALL_TESTS=1`` takes all.
"""

from __future__ import annotations

import os
from functools import cache

import numpy as np
import pytest

from enzyme.errors import EnzymeError
from enzyme.llvm import autodiff, compile_c
from enzyme.llvm.compilers import find_clang
from enzymecore import Active, Const, Duplicated, Forward, Reverse, ReverseWithPrimal

from .. import rotation
from .blas_cases import register_library

pytest.importorskip("scipy.linalg")
pytestmark = pytest.mark.skipif(find_clang() is None, reason="there is no clang")

HEAD = """
void *malloc(unsigned long);
void free(void *);
extern void *__enzyme_augmentfwd(void *, ...);
extern void __enzyme_reverse(void *, ...);
extern void __enzyme_autodiff(void *, ...);
extern double __enzyme_fwddiff(void *, ...);
extern void dsyevd_(const char *, const char *, int *, double *, int *, double *, double *, int *, int *, int *, int *);
extern void dgesdd_(const char *, int *, int *, double *, int *, double *, double *, int *, double *, int *, double *,
                    int *, int *, int *);
extern void dgeev_(const char *, const char *, int *, double *, int *, double *, double *, double *, int *, double *,
                   int *, double *, int *, int *);
static double cubes(double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += x[i] * x[i] * x[i] * (i + 1);
  return s;
}
static double squares(double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += x[i] * x[i] * (i % 5 + 1);
  return s;
}
"""
# The sizes of workspaces are asked for; what depends on signs of vectors is not used.
PRIMALS = {
    "symmetric": """
double symmetric(double *a, int n, int lda, int job, int part) {
  char jobz = job, uplo = part;
  int info, query = -1, lwork, liwork, ld = n > 0 ? n : 1;
  double wanted, *w = malloc(8 * n);
  dsyevd_(&jobz, &uplo, &n, a, &ld, w, &wanted, &query, &liwork, &query, &info);
  lwork = wanted;
  double *work = malloc(8 * lwork);
  int *iwork = malloc(4 * liwork);
  dsyevd_(&jobz, &uplo, &n, a, &lda, w, work, &lwork, iwork, &liwork, &info);
  double s = 1000.0 * info;
  if (info == 0) s = cubes(w, n);
  if (info == 0 && job == 'V') s += squares(a, n * n);
  free(iwork);
  free(work);
  free(w);
  return s;
}
""",
    "singular": """
double singular(double *a, int n, int lda, int job, int m) {
  char jobz = job;
  int info, lwork = -1, k = m < n ? m : n, ldu = m > 0 ? m : 1, ldvt = n > 0 ? n : 1;
  double wanted, *s = malloc(8 * k), *u = malloc(8 * m * m), *vt = malloc(8 * n * n);
  int *iwork = malloc(32 * k);
  dgesdd_(&jobz, &m, &n, a, &ldu, s, u, &ldu, vt, &ldvt, &wanted, &lwork, iwork, &info);
  lwork = wanted;
  double *work = malloc(8 * lwork);
  dgesdd_(&jobz, &m, &n, a, &lda, s, u, &ldu, vt, &ldvt, work, &lwork, iwork, &info);
  double r = 1000.0 * info;
  if (info == 0) r = cubes(s, k);
  if (info == 0 && job != 'N') {
    r += squares(u, m * k);
    for (int j = 0; j < n; j++) r += squares(vt + n * j, k) * j;
  }
  free(work);
  free(iwork);
  free(vt);
  free(u);
  free(s);
  return r;
}
""",
    "general": """
double general(double *a, int n, int lda, int job, int left) {
  char jobvr = job, jobvl = left;
  int info, lwork = -1, ld = n > 0 ? n : 1;
  double wanted, *wr = malloc(8 * n), *wi = malloc(8 * n), *vl = malloc(8 * n * n), *vr = malloc(8 * n * n);
  dgeev_(&jobvl, &jobvr, &n, a, &ld, wr, wi, vl, &ld, vr, &ld, &wanted, &lwork, &info);
  lwork = wanted;
  double *work = malloc(8 * lwork);
  dgeev_(&jobvl, &jobvr, &n, a, &lda, wr, wi, vl, &ld, vr, &ld, work, &lwork, &info);
  double r = 1000.0 * info;
  if (info == 0) r = cubes(wr, n) + squares(wi, n);
  if (info == 0 && job == 'V') r += squares(vr, n * n);
  if (info == 0 && left == 'V') r += squares(vl, n * n) * 0.5;
  free(work);
  free(vr);
  free(vl);
  free(wi);
  free(wr);
  return r;
}
""",
}
DERIVATIVES = {
    "": "",
    "gradient": """
void gradient(double *a, double *da, int n, int lda, int job, int part) {
  __enzyme_autodiff((void *)NAME, a, da, n, lda, job, part);
}
""",
    "slope": """
double slope(double *a, double *v, int n, int lda, int job, int part) {
  return __enzyme_fwddiff((void *)NAME, a, v, n, lda, job, part);
}
""",
    "halves": """
void halves(double *a, double *da, int n, int lda, int job, int part) {
  void *tape = __enzyme_augmentfwd((void *)NAME, a, da, n, lda, job, part);
  __enzyme_reverse((void *)NAME, a, da, n, lda, job, part, 1.0, tape);
}
""",
}
# For each: n, leading dimension, the letter that may ask for vectors, and the other letter or size.
CALLS = {
    "symmetric": [(4, 4, "N", "L"), (4, 4, "V", "U"), (4, 4, "V", "L")],
    "singular": [(3, 4, "N", 4), (3, 4, "S", 4), (4, 3, "A", 3)],
    "general": [(4, 4, "N", "N"), (4, 4, "V", "N"), (4, 4, "N", "V")],
}
ALL = any(os.environ.get(switch) for switch in rotation.ALL)
TABLE = [(name, call) for name, calls in CALLS.items() for call in calls]


@pytest.fixture(scope="module", autouse=True)
def library() -> None:
    register_library()


@pytest.fixture(scope="module")
def programs():
    """The primal of a name, or one of its derivatives."""

    @cache
    def found(name: str, derivative: str = ""):
        text = DERIVATIVES[derivative].replace("NAME", name)
        return compile_c(HEAD + PRIMALS[name] + text)[derivative or name]

    return found


def given(call) -> tuple:
    """The operands behind the matrix, and a matrix whose values are apart; one pair of complex eigenvalues."""
    n, lda, job, other = call
    a = np.random.default_rng(n).uniform(-1, 1, (n, lda))
    for k in range(min(n, lda)):
        a[k, k] += 2.5 * (k - k % 2)
    a[0, 1] += 2.0
    a[1, 0] -= 2.0
    return a, (n, lda, ord(job), ord(other) if isinstance(other, str) else other)


def gradient_by(f, a, rest):
    da = np.zeros_like(a)
    autodiff(Reverse, f, Active, Duplicated(a.copy(), da), *map(Const, rest))
    return da


@pytest.mark.parametrize(("name", "call"), TABLE)
@pytest.mark.rotating(27)
def test_modes_agree(programs, name, call) -> None:
    """Forward, reverse, split, and differences, for letters that the program learns late."""
    f = programs(name)
    a, rest = given(call)
    v = np.random.default_rng(7).uniform(-1, 1, a.shape)
    da = gradient_by(f, a, rest)
    (tangent,) = autodiff(Forward, f, Duplicated(a.copy(), v.copy()), *map(Const, rest))
    assert abs(tangent - np.sum(da * v)) < 1e-12 * (1 + abs(tangent))
    in_halves = np.zeros_like(a)
    programs(name, "halves")(a.copy(), in_halves, *rest)
    assert np.allclose(in_halves, da, rtol=1e-12, atol=1e-12)
    e = 1e-6
    ends = [f(a + s * e * v, *rest) for s in (1, -1)]
    assert abs(tangent - (ends[0] - ends[1]) / (2 * e)) < 1e-6 * (1 + abs(tangent))


@pytest.mark.parametrize("nesting", ["FoR", "RoF", "FoF", "RoR"])
@pytest.mark.parametrize(("name", "call"), TABLE if ALL else TABLE[:3])
@pytest.mark.rotating(35)
def test_nestings_agree_with_differences(programs, name, call, nesting) -> None:
    a, rest = given(call)
    rng = np.random.default_rng(8)
    v, u = rng.uniform(-1, 1, (2, *a.shape))
    e, constants = 1e-6, [*map(Const, rest)]
    ends = [gradient_by(programs(name), a + s * e * v, rest) for s in (1, -1)]
    wanted = (ends[0] - ends[1]) / (2 * e)
    zero, found = np.zeros_like(a), np.zeros_like(a)
    if nesting == "FoR":
        operands = Duplicated(a.copy(), v.copy()), Duplicated(zero, found)
        autodiff(Forward, programs(name, "gradient"), *operands, *constants)
    elif nesting == "RoR":
        operands = Duplicated(a.copy(), found), Duplicated(zero, v.copy())
        autodiff(Reverse, programs(name, "gradient"), *operands, *constants)
    elif nesting == "RoF":
        operands = Duplicated(a.copy(), found), Duplicated(v.copy(), zero)
        autodiff(Reverse, programs(name, "slope"), Active, *operands, *constants)
    else:
        operands = Duplicated(a.copy(), u.copy()), Duplicated(v.copy(), zero)
        (found,) = autodiff(Forward, programs(name, "slope"), *operands, *constants)
        wanted = np.sum(wanted * u)
    assert np.allclose(found, wanted, rtol=1e-6, atol=1e-6 * np.abs(wanted).max())


@pytest.mark.parametrize("name", PRIMALS)
@pytest.mark.rotating(4)
def test_calls_that_fail_leave_what_the_library_leaves(programs, name) -> None:
    """A leading dimension that is too small: the routine says so, does nothing, and has no derivative."""
    a, (n, _, *rest) = given(CALLS[name][1])
    f = programs(name)
    da = np.zeros_like(a)
    constants = [Const(x) for x in (n, 1, *rest)]
    _, value = autodiff(ReverseWithPrimal, f, Active, Duplicated(a.copy(), da), *constants)
    assert value == f(a.copy(), n, 1, *rest) < 0.0
    assert not da.any()


@pytest.mark.parametrize("name", PRIMALS)
@pytest.mark.rotating(4)
def test_nothing_and_no_numbers(programs, name) -> None:
    """Matrices of no size have a derivative, and those that hold NaN none: both end as in the primal."""
    f = programs(name)
    rest = given(CALLS[name][0])[1]
    a, (job, other) = np.zeros((4, 4)), rest[2:]
    nothing = (0, 1, job, 0 if name == "singular" else other)
    assert f(a.copy(), *nothing) == 0.0
    assert not gradient_by(f, a, nothing).any()
    a[1, 1] = np.nan
    _, value = autodiff(
        ReverseWithPrimal, f, Active, Duplicated(a.copy(), np.zeros_like(a)), *map(Const, rest)
    )
    assert np.array_equal(value, f(a.copy(), *rest), equal_nan=True)


# The matrix is a constant, and what the routine writes holds active numbers before and after.
CONSTANT = """
double scaled(double *a, double *x, int n) {
  int info, lwork = 400, iwork[400];
  double w[16], b[64], c[64], work[400];
  for (int i = 0; i < n; i++) w[i] = c[i] = x[0];
  CALL;
  for (int i = 0; i < n; i++) w[i] *= x[1] * c[i];
  return squares(w, n);
}
"""
CONSTANT_CALLS = {
    "dsyevd_": 'dsyevd_("V", "L", &n, a, &n, w, work, &lwork, iwork, &lwork, &info)',
    "dgesdd_": 'dgesdd_("S", &n, &n, a, &n, w, b, &n, c, &n, work, &lwork, iwork, &info)',
    "dgeev_": 'dgeev_("N", "V", &n, a, &n, w, b, b, &n, c, &n, work, &lwork, &info)',
}


@pytest.mark.parametrize("routine", CONSTANT_CALLS)
@pytest.mark.rotating(4)
def test_matrices_may_be_constant(routine) -> None:
    f = compile_c(HEAD + CONSTANT.replace("CALL", CONSTANT_CALLS[routine])).scaled
    a = np.random.default_rng(5).uniform(-1, 1, (3, 3))
    x, v, dx = np.array([0.7, 1.3]), np.array([0.3, 0.4]), np.zeros(2)
    (tangent,) = autodiff(Forward, f, Const(a.copy()), Duplicated(x, v), Const(3))
    autodiff(Reverse, f, Active, Const(a.copy()), Duplicated(x, dx), Const(3))
    slope = f(a.copy(), x + np.array([0.0, 1e-6]), 3) - f(a.copy(), x - np.array([0.0, 1e-6]), 3)
    factor = f(a.copy(), np.array([1.0, 1.0]), 3) if routine != "dsyevd_" else None
    assert abs(tangent - dx @ v) < 1e-12 * (1 + abs(tangent))
    assert abs(dx[1] - slope / 2e-6) < 1e-6 * (1 + abs(dx[1]))
    assert factor is None or (dx[0] == 0.0 and abs(dx[1] - 2 * factor * x[1]) < 1e-12 * factor)


def test_repeated_eigenvalues(programs) -> None:
    """Functions of the values alone that do not tell them apart have a derivative; vectors have none."""
    f = programs("symmetric")
    q, _ = np.linalg.qr(np.random.default_rng(3).uniform(-1, 1, (4, 4)))
    a = q @ np.diag([2.0, 2.0, 2.0, 2.0]) @ q.T
    da = gradient_by(f, a, (4, 4, ord("N"), ord("L")))
    assert np.isfinite(da).all()
    assert np.isclose(np.trace(da), 3 * 2.0**2 * (1 + 2 + 3 + 4), rtol=1e-12)
    a = q @ np.diag([2.0, 2.0, 3.0, 4.0]) @ q.T
    assert np.isnan(gradient_by(f, a, (4, 4, ord("V"), ord("L")))).any()


def test_relatives_without_a_formula_are_refused_with_the_way_out() -> None:
    text = """
extern void dsyevr_(double *, double *);
extern void __enzyme_autodiff(void *, ...);
double f(double *a) { double w; dsyevr_(a, &w); return w; }
void go(double *a, double *da) { __enzyme_autodiff((void *)f, a, da); }
"""
    with pytest.raises(EnzymeError, match="dsyevr_") as caught:
        compile_c(text).go(np.ones(1), np.ones(1))
    assert "call syevd" in str(caught.value)
