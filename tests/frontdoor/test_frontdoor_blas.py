"""BLAS and LAPACK in programs: every routine of the table, in all modes, against itself and against differences.

By default a few calls of each level are differentiated; ``EXHAUSTIVE=1`` takes all routines with all letters, steps and
layouts. ``UPDATE_SURFACE=1`` writes the table in the documentation again.
"""

from __future__ import annotations

import itertools
import os
from pathlib import Path

import numpy as np
import pytest

from enzyme.backend import passes
from enzyme.engine.derivatives.blas import formulas
from enzyme.engine.derivatives.blas.entries import expected, module_text
from enzyme.engine.derivatives.blas.language import FORMULAS
from enzyme.engine.derivatives.blas.names import REFUSED, ROWS, read_name
from enzyme.errors import EnzymeError
from enzyme.frontdoor.lower import lower
from enzyme.llvm import autodiff, compile_c
from enzyme.llvm.compilers import find_clang
from enzymecore import Active, Const, Duplicated, Forward, Reverse

from .blas_cases import (
    ITERATIVE,
    Case,
    Checked,
    Compiled,
    State,
    copied,
    inner,
    register_library,
)

pytest.importorskip("scipy.linalg")
EXHAUSTIVE = bool(os.environ.get("EXHAUSTIVE"))
DOCS = Path(__file__).resolve().parents[2] / "docs" / "llvm.md"
BEGIN = "<!-- routines: written by tests/frontdoor/test_frontdoor_blas.py -->\n"
END = "<!-- end of routines -->\n"

SAMPLE = [
    Case("cblas_daxpy", step=-1),
    Case("zdotc_", step=2),
    Case("dgemv_", {"trans": "T"}, step=2, gap=2),
    Case("cblas_dsbmv", {"uplo": "U"}, by_rows=True),
    Case("dtpsv_", {"uplo": "L", "trans": "T", "diag": "N"}, step=-1),
    Case("dgemm_", {"transa": "T", "transb": "N"}),
    Case("cblas_dtrsm", {"side": "R", "uplo": "L", "trans": "N", "diag": "N"}, by_rows=True),
    Case("dpotrf_", {"uplo": "U"}),
]
# Of these one in some runs, which the day chooses (`tests/rotation.py`).
ITERATE = [
    Case("zheevd_", {"jobz": "V", "uplo": "U"}),
    Case("ssyev_", {"jobz": "N", "uplo": "L"}, step=2, gap=2),
    Case("dgesdd_", {"jobz": "A"}, step=2, gap=2),
    Case("zgesdd_", {"jobz": "S"}),
    Case("sgesvd_", {"jobu": "O", "jobvt": "S"}),
    Case("dgeev_", {"jobvl": "V", "jobvr": "V"}),
    Case("cgeev_", {"jobvl": "N", "jobvr": "V"}, step=2, gap=2),
    Case("dgeev_", {"jobvl": "N", "jobvr": "N"}, step=2, gap=2),
]
# These are differentiated twice.
TWICE = [Case("ddot_"), Case("sgemv_", {"trans": "N"})]


def letters_of(parameters: tuple[str, ...], name: str) -> list[dict[str, str]]:
    """All letters that a routine may be given."""
    choices = {"uplo": "UL", "diag": "NU", "side": "LR", "jobz": "NV"}
    choices |= dict.fromkeys(("jobvl", "jobvr"), "NV") | dict.fromkeys(("jobu", "jobvt"), "NSAO")
    if name[1:] == "gesdd":
        choices["jobz"] = "NSAO"
    complex_ = name[0] in "cz"
    operations = "NTC"
    if name[1:] in ("herk", "her2k", "gels", "unmqr") and complex_:
        operations = "NC"
    elif name[1:] in ("gels", "ormqr", "syrk", "syr2k"):
        operations = "NT"
    found = []
    for parameter in parameters:
        letters = operations if parameter.startswith("trans") else choices.get(parameter, "")
        if letters:
            found.append([(parameter, letter) for letter in letters])
    made = [dict(chosen) for chosen in itertools.product(*found)]
    return [c for c in made if not c.get("jobu") == c.get("jobvt") == "O"]


def all_cases() -> list[Case]:
    made = []
    for row in ROWS:
        for name in row.kinds:
            for symbol in [f"{name}_"] * row.fortran + [f"cblas_{name}"] * row.cblas:
                by_rows = (False, True) if row.rows and symbol.startswith("cblas") else (False,)
                steps = (1, 2, -1) if "incx" in row.parameters else (1,)
                if name[1:] in ITERATIVE:
                    steps = (1, 2)  # there are none: without and with gaps
                for letters, rows, step in itertools.product(
                    letters_of(row.parameters, name), by_rows, steps
                ):
                    made.append(Case(symbol, letters, rows, step, gap=2 * (step != 1)))
                if row.group in ("level 3", "LAPACK"):
                    made.append(Case(symbol, letters_of(row.parameters, name)[-1], large=True))
    return made


def groups(cases: list[Case]) -> list[list[Case]]:
    return [cases[k : k + 4] for k in range(0, len(cases), 4)]


@pytest.fixture(scope="module", autouse=True)
def library() -> None:
    register_library()


def shown(cases: list[Case]) -> str:
    return str(cases[0])


def largest(state: State) -> float:
    return max((float(np.abs(v).max(initial=0.0)) for v in state.values()), default=0.0)


def apart(one: State, two: State) -> float:
    differences = {p: one[p].astype(float) - two[p] for p in one}
    return largest(differences) / (1.0 + largest(two))


@pytest.mark.parametrize("cases", groups(all_cases()) if EXHAUSTIVE else groups(SAMPLE), ids=shown)
def test_modes_agree_with_each_other_and_with_differences(cases: list[Case]) -> None:
    compiled = Compiled(cases, second=False)
    for number, case in enumerate(cases):
        check_first(Checked(compiled, case, number))


@pytest.mark.parametrize("case", ITERATE, ids=str)
@pytest.mark.rotating(54)
def test_modes_agree_for_what_iterates(case: Case) -> None:
    check_first(Checked(Compiled([case], second=False), case, 0))


def is_double(checked: Checked) -> bool:
    return all(v.dtype == np.float64 for v in checked.start.values())


def off_by(checked: Checked, tangent: State, step: float) -> float:
    found, wanted = copied(tangent), checked.difference(checked.direction[0], step)
    for p, places in checked.case.free_places().items():
        found[p][places] = wanted[p][places] = 0.0
    return apart(found, wanted)


def check_first(checked: Checked) -> None:
    case, direction, weight = checked.case, checked.direction, checked.weight
    exact, close = (1e-12, 1e-6) if is_double(checked) else (3e-5, 4e-2)
    end, others = checked.primal(checked.start)
    tangent, adjoint = copied(direction[0]), copied(weight[0])
    for mode, shadow in (("forward", tangent), ("reverse", adjoint)):
        assert apart(checked.derivative(mode, [shadow]), end) < exact, (str(case), mode)
        for p, v in others.items():
            assert p.endswith("work") or np.array_equal(v, checked.left[p]), (str(case), mode, p)
    if not tangent:
        return
    size = 1.0 + np.sqrt(inner(tangent, tangent) * inner(weight[0], weight[0]))
    law = abs(inner(tangent, weight[0]) - inner(direction[0], adjoint)) / size
    assert law < exact, str(case)
    step = 1e-6 if is_double(checked) else 3e-3
    # What iterates may come to vectors of another sign at one end of one step; so may reflections of long columns.
    steps = (step, step / 3) if case.iterates else (step, step / 30) if case.large else (step,)
    tells = is_double(checked) or not (case.large and case.iterates)
    assert not tells or min(off_by(checked, tangent, h) for h in steps) < close, str(case)
    for mode, given, first in (
        ("forward2", direction, tangent),
        ("reverse2", weight, adjoint),
    ):
        lanes = [copied(state) for state in given]
        checked.derivative(mode, lanes)
        assert apart(lanes[0], first) < exact, (str(case), mode)


@pytest.mark.parametrize(
    "cases", groups(all_cases())[::8] if EXHAUSTIVE else groups(TWICE), ids=shown
)
def test_adjoints_are_differentiated_again(cases: list[Case]) -> None:
    compiled = Compiled(cases, second=True)
    for number, case in enumerate(cases):
        checked = Checked(compiled, case, number)
        if not checked.start:
            continue
        step, close = (1e-6, 1e-5) if is_double(checked) else (3e-3, 6e-2)
        for p, places in case.free_places().items():  # which vectors these are is left open
            checked.weight[0][p][places] = 0.0
        zero = {p: np.zeros_like(v) for p, v in checked.start.items()}
        _, found = checked.second(checked.direction[0], zero)
        # What iterates comes to vectors of another sign at one end of a step where there are many, or few digits.
        if case.iterates and (case.large or not is_double(checked)):
            continue
        ends = []
        for sign in (1, -1):
            start = {
                p: v + v.dtype.type(sign * step) * checked.direction[0][p]
                for p, v in checked.start.items()
            }
            adjoint = copied(checked.weight[0])
            checked.derivative("reverse", [adjoint], start)
            ends.append(adjoint)
        wanted = {p: (ends[0][p] - ends[1][p]) / (2 * step) for p in found}
        assert apart(found, wanted) < close, str(case)


# Laws of BLAS -----------------------------------------------------------------------------------------


def nan_outside(a: np.ndarray, n: int, ld: int, upper: bool) -> None:
    """NaN in the triangle that is not stored, and between columns."""
    columns = a[: ld * n].reshape(n, ld)
    for j in range(n):
        columns[j, n:] = np.nan
        columns[j, (slice(j + 1, n) if upper else slice(0, j))] = np.nan


def test_what_is_not_referenced_is_neither_read_nor_written() -> None:
    """The other triangle, what lies between columns, and C where beta is zero, hold NaN and keep it."""
    triangles = [
        Case("dpotrf_", {"uplo": "L"}),
        Case("dsymm_", {"side": "R", "uplo": "U"}, constant={"alpha": 2.0, "beta": 0.0}),
        Case("dgemv_", {"trans": "N"}, constant={"beta": 0.0}),
    ]
    compiled = Compiled(triangles, second=False)
    for number, case in enumerate(triangles):
        checked = Checked(compiled, case, number)
        for state in (checked.start, checked.direction[0]):
            if "c" in state:
                state["c"][:] = np.nan
            if case.symbol == "dgemv_":
                state["y"][:] = np.nan
            else:
                nan_outside(state["a"], 3, case.integer("lda"), case.given["uplo"] == "U")
        for state, mode in ((checked.direction[0], "forward"), (checked.weight[0], "reverse")):
            made = checked.derivative(mode, [state])
            if case.symbol == "dpotrf_":
                stored = ~np.isnan(checked.start["a"])
                assert not np.isnan(state["a"][stored]).any(), mode
                assert np.array_equal(np.isnan(made["a"]), ~stored), mode
            elif case.symbol == "dsymm_":
                ld = case.integer("ldc")
                for found in (made["c"], state["c"]):
                    written = found[: 3 * ld].reshape(3, ld)[:, :4]
                    assert not np.isnan(written).any(), mode
                if mode == "reverse":
                    assert not np.isnan(state["b"]).any()
                    assert not np.isnan(state["a"]).any()
            else:
                assert not np.isnan(state["y"][:4]).any(), mode
                assert mode == "forward" or not np.isnan(state["a"]).any()


def test_nothing_and_failures_are_as_the_library_has_them() -> None:
    """Sizes of zero, and a matrix that is not positive definite: the derivatives go through."""
    cases = [
        Case("dgemm_", {"transa": "N", "transb": "N", "m": 0}),
        Case("cblas_dgemv", {"trans": "N", "n": 0}),
        Case("dpotrf_", {"uplo": "L"}, gap=1),
    ]
    compiled = Compiled(cases, second=False)
    for number, case in enumerate(cases):
        checked = Checked(compiled, case, number)
        if case.symbol == "dpotrf_":
            checked.start["a"][case.integer("lda") + 1] = -1.0
            _, others = checked.primal(checked.start)
            assert others["info"][0] == 2
            for mode in ("forward", "reverse"):
                checked.derivative(mode, [copied(checked.weight[0])])
                assert checked.left["info"][0] == 2
        else:
            check_first(checked)


# Programs ---------------------------------------------------------------------------------------------

C_PROGRAM = """
extern void dgemm_(const char *, const char *, int *, int *, int *, double *, double *, int *, double *, int *,
                   double *, double *, int *);
extern void dpotrf_(const char *, int *, double *, int *, int *);
extern void dgeqrf_(int *, int *, double *, int *, double *, double *, int *, int *);
void *malloc(unsigned long);
void free(void *);
static double squares(double *c, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += c[i] * c[i] * (i + 1);
  return s;
}
double products(double *a, double *factors, int n, int first, int second) {
  double c[16] = {0}, d[16];
  char one = first, two = second;
  for (int i = 0; i < n * n; i++) d[i] = a[i];
  dgemm_(&one, &two, &n, &n, &n, factors, a, &n, a, &n, factors + 1, c, &n);
  dgemm_(&two, &one, &n, &n, &n, factors, a, &n, c, &n, factors + 1, d, &n);
  return squares(d, n * n);
}
double reflectors(double *a, double *factors, int n, int first, int second) {
  int info, size = -1;
  double wanted, tau[4];
  dgeqrf_(&n, &n, a, &n, tau, &wanted, &size, &info);
  size = (int)wanted;
  double *work = (double *)malloc(8 * size);
  dgeqrf_(&n, &n, a, &n, tau, work, &size, &info);
  free(work);
  return squares(a, n * n) + squares(tau, n) * factors[0];
}
double log_det(double *a, int n) {
  int info;
  dpotrf_("L", &n, a, &n, &info);
  double s = 0;
  for (int i = 0; i < n; i++) s += 2 * __builtin_log(a[i + n * i]);
  return s;
}
"""


@pytest.fixture(scope="module")
def program():
    if find_clang() is None:
        pytest.skip("there is no clang")
    return compile_c(C_PROGRAM)


def test_reflectors_of_a_column_that_is_zero_already_have_no_derivative_below_it(program) -> None:
    """LAPACK leaves such a column alone, and turns its sign as soon as it is not zero."""
    f, n = program["reflectors"], 4
    a = np.triu(np.random.default_rng(2).uniform(1, 2, (n, n)))
    columns, factors = a.T.reshape(-1).copy(), np.array([0.7, 1.3])
    rest = (n, ord("N"), ord("N"))
    da = np.zeros(n * n)
    constants = [Const(r) for r in rest]
    autodiff(Reverse, f, Active, Duplicated(columns.copy(), da), Const(factors), *constants)
    found = da.reshape(n, n).T
    below = np.tril(np.ones((n, n)), -1) > 0
    assert not np.isfinite(found[below]).any()
    assert np.isfinite(found[0, n - 1])  # of the last column nothing is below the diagonal


@pytest.mark.parametrize(
    ("name", "letters"), [("products", "Nt"), ("products", "TN"), ("reflectors", "NN")]
)
def test_letters_and_sizes_may_be_known_late(program, name, letters) -> None:
    """Letters, factors that are active, and the size of the workspace are numbers of the running program."""
    f, rng = program[name], np.random.default_rng(1)
    a, factors = rng.uniform(-1, 1, 16), np.array([0.7, 1.3])
    v, w = rng.uniform(-1, 1, 16), rng.uniform(-1, 1, 2)
    rest = (4, *map(ord, letters))
    da, df = np.zeros(16), np.zeros(2)
    constants = [Const(r) for r in rest]
    autodiff(Reverse, f, Active, Duplicated(a.copy(), da), Duplicated(factors, df), *constants)
    (tangent,) = autodiff(
        Forward, f, Duplicated(a.copy(), v.copy()), Duplicated(factors, w), *constants
    )
    assert abs(tangent - (da @ v + df @ w)) < 1e-12 * (1.0 + abs(tangent))
    e = 1e-6
    ends = [f(a + s * e * v, factors + s * e * w, *rest) for s in (1, -1)]
    assert abs(tangent - (ends[0] - ends[1]) / (2 * e)) < 1e-7 * (1.0 + abs(tangent))


def test_gradient_of_a_log_determinant_is_the_inverse(program) -> None:
    b = np.random.default_rng(2).uniform(-1, 1, (5, 5))
    a, da = b @ b.T + np.eye(5), np.zeros((5, 5))
    autodiff(Reverse, program.log_det, Active, Duplicated(a.copy(), da), Const(5))
    inverse = np.linalg.inv(a)
    assert np.allclose(da.T, np.tril(2 * inverse) - np.diag(np.diag(inverse)), rtol=0, atol=1e-12)


# Names ------------------------------------------------------------------------------------------------


def test_every_name_has_a_body_that_is_valid() -> None:
    entries = []
    for row in ROWS:
        for name in row.kinds:
            for symbol in [f"{name}_", f"{name}_64_"] * row.fortran + [f"cblas_{name}"] * row.cblas:
                found = read_name(symbol)
                assert found is not None and found.kind == row.kinds[name]
                entries.append((f"enzyme.routine.{symbol}.0", found, expected(found)))
    for bits in (32, 64):
        chosen = [e for e in entries if e[1].bits == bits]
        passes.parse(module_text(chosen if EXHAUSTIVE else chosen[:: 7 if bits == 32 else 31]))


def test_every_formula_is_one_of_the_modules() -> None:
    named = {name for module in formulas.MODULES for name in vars(module)}
    assert set(FORMULAS) <= named


PROGRAM = """
declare {head}
declare void @__enzyme_autodiff(...)
define double @f(ptr %x, ptr %y) {{
  %n = alloca {integer}
  store {integer} 2, ptr %n
  {call}
  ret double %r
}}
define void @go(ptr %x, ptr %d, ptr %y, ptr %e) {{
  call void (...) @__enzyme_autodiff(ptr @f, ptr %x, ptr %d, ptr %y, ptr %e)
  ret void
}}
"""
DOT = "%r = call double @{}(ptr %n, ptr %x, ptr %n, ptr %y, ptr %n)"
FIVE = "(ptr, ptr, ptr, ptr, ptr)"


@pytest.mark.parametrize(
    ("head", "integer", "call", "said"),
    [
        ("double @ddot_" + FIVE, "i64", DOT.format("ddot_"), "integers of 64 bits"),
        ("double @ddot_64_" + FIVE, "i32", DOT.format("ddot_64_"), "integers of 32 bits"),
        (
            "double @ddot_(ptr, ptr)",
            "i32",
            "%r = call double @ddot_(ptr %x, ptr %y)",
            "the routine of that name is double (ptr, ptr, ptr, ptr, ptr)",
        ),
        ("double @drotg_(ptr, ptr)", "i32", "%r = call double @drotg_(ptr %x, ptr %y)", "rotation"),
        ("double @dsyevr_(ptr)", "i32", "%r = call double @dsyevr_(ptr %x)", "call syevd"),
        ("double @ddot(ptr)", "i32", "%r = call double @ddot(ptr %x)", "external function 'ddot'"),
    ],
)
def test_what_has_no_derivative_is_refused_by_name(head, integer, call, said) -> None:
    with pytest.raises(EnzymeError) as caught:
        lower(PROGRAM.format(head=head, integer=integer, call=call))
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("head", "call"),
    [
        ("double @ddot_" + FIVE, DOT.format("ddot_")),
        ("double @scipy_ddot_" + FIVE, DOT.format("scipy_ddot_")),
        (
            "double @cblas_ddot(i32, ptr, i32, ptr, i32)",
            "%r = call double @cblas_ddot(i32 2, ptr %x, i32 1, ptr %y, i32 1)",
        ),
    ],
)
def test_other_spellings_are_known(head, call) -> None:
    made = lower(PROGRAM.format(head=head, integer="i32", call=call))
    assert "@go(" in made


def test_a_declared_rule_and_a_body_go_before_the_table() -> None:
    """A program that defines a function of such a name means its own."""
    body = (
        "define double @ddot_(ptr %a, ptr %b) {\n  %r = load double, ptr %a\n  ret double %r\n}\n"
    )
    text = PROGRAM.format(
        head="void @nothing()", integer="i32", call="%r = call double @ddot_(ptr %x, ptr %y)"
    )
    assert "enzyme.routine" not in lower(body + text)


# The table in the documentation -----------------------------------------------------------------------


def documented() -> str:
    lines = []
    for group in dict.fromkeys(row.group for row in ROWS):
        names: dict[str, None] = {}
        for row in ROWS:
            if row.group != group:
                continue
            for name in row.kinds:
                names[f"{name}_" if row.fortran else f"cblas_{name}"] = None
        also = "" if group == "LAPACK" else ", and with `cblas_` in front"
        lines += [f"**{group}**{also}: " + ", ".join(f"`{n}`" for n in names) + ".", ""]
    lines.append("**Refused**, by name (each with the letter of its kind in front):")
    lines.append("")
    by_reason: dict[tuple[str, str], list[str]] = {}
    for name, reason in REFUSED.items():
        by_reason.setdefault(reason, []).append(name)
    for (why, todo), names_ in by_reason.items():
        lines.append(f"* {', '.join(f'`{n}`' for n in names_)}: {why}; {todo}")
    return "\n".join([*lines, ""])


def test_the_documentation_has_every_name() -> None:
    text = DOCS.read_text()
    before, rest = text.split(BEGIN)
    inside, after = rest.split(END)
    wanted = f"\n{documented()}\n"
    if os.environ.get("UPDATE_SURFACE"):
        DOCS.write_text(before + BEGIN + wanted + END + after)
        return
    assert inside == wanted
