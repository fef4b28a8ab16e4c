"""BLAS and LAPACK called by the addresses that SciPy exports to Cython: every routine that has a formula, once.

The function of each test is a weighted sum of all that a routine writes. Its gradient is compared with differences, and
with forward mode, exactly; its Hessian with differences of gradients, in three nestings.
"""

from __future__ import annotations

import ctypes
import importlib
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numba import njit
from numba.extending import get_cython_function_address

from enzyme import Const, EnzymeError, Reverse, grad, gradient, hvp, jvp
from enzyme.engine.derivatives.blas.names import ROWS, TYPES
from tests.frontdoor.blas_cases import Case
from tests.frontdoor.test_frontdoor_blas import letters_of
from tests.rotation import all_run

ROOT = Path(__file__).resolve().parents[2]
MODULES = ("scipy.linalg.cython_blas", "scipy.linalg.cython_lapack")
# Complex results are returned in ways that ctypes does not have.
NAMES = [
    name
    for row in ROWS
    for name in row.kinds
    if row.fortran and "axpby" not in name and not name.startswith(("cdot", "zdot"))
]
RESULTS = {"None": None, "int": ctypes.c_int, "Single": ctypes.c_float, "Double": ctypes.c_double}


def case_of(name: str) -> Case:
    """With letters that the name chooses."""
    parameters = Case(f"{name}_").name.row.parameters
    letters = letters_of(parameters, name)
    return Case(f"{name}_", letters[sum(map(ord, name)) % len(letters)])


def routine(name: str, pointer=ctypes.c_void_p):
    """The routine as ctypes has it."""
    module = next(m for m in MODULES if name in importlib.import_module(m).__pyx_capi__)
    row = Case(f"{name}_").name.row
    result = RESULTS.get(row.result, ctypes.c_float if name[0] in "sc" else ctypes.c_double)
    kind = ctypes.CFUNCTYPE(result, *[pointer] * len(row.parameters))
    return kind(get_cython_function_address(module, name))


def function_of(case: Case, weights: dict[str, np.ndarray]):
    """The weighted sum as a function of all numbers in a row; what it takes of them is cut out by name."""
    row, source, at = case.name.row, ["def f(v):"], 0
    scope = {"np": np, "routine": routine(case.symbol.strip("_"))}
    for p, w in weights.items():
        if p != "result":
            source.append(f"    {p} = v[{at}:{at + w.size}].copy()")
            at += w.size
        scope[f"w_{p}"] = w
    passed = []
    others = case.integers()
    for p in row.parameters:
        passed.append(f"{p}.ctypes")
        if TYPES.get(p) == "Letter":
            source.append(f"    {p} = np.array([{ord(str(case.given[p]))}], np.uint8)")
        elif p in others:
            scope[f"start_{p}"] = others[p]
            source.append(f"    {p} = start_{p}.copy()")
        elif p not in weights:
            source.append(f"    {p} = np.array([{case.integer(p)}], np.int32)")
    call = f"routine({', '.join(passed)})"
    total = [f"(w_{p} * {p}).sum()" for p in weights if p != "result"]
    if row.result == "None":
        source.append(f"    {call}")
    else:
        source.append(f"    r = {call}")
        total.append("w_result[0] * r" if "result" in weights else "0.0 * r")
    source.append(f"    return {' + '.join(total)}")
    exec("\n".join(source), scope)
    return njit(scope["f"])


def cut(case: Case, state: dict[str, np.ndarray]) -> np.ndarray:
    return np.concatenate([v for p, v in state.items() if p != "result"])


def weights_of(case: Case, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Nothing is asked of what a routine destroys, nor of vectors, whose signs and phases are its own affair."""
    weights = {p: rng.uniform(-1, 1, v.shape).astype(v.dtype) for p, v in case.state(rng).items()}
    for p, places in (*case.open_places().items(), *case.free_places().items()):
        weights[p][places] = 0.0
    if case.iterates:
        for p in ("a", "u", "vt", "vl", "vr"):
            if p in weights:
                weights[p][:] = 0.0
    return weights


@pytest.mark.rotating(158)
@pytest.mark.parametrize("name", NAMES)
def test_derivatives(name):
    case, rng = case_of(name), np.random.default_rng(len(name))
    weights, start = weights_of(case, rng), case.state(rng)
    f, v = function_of(case, weights), cut(case, start)
    double = v.dtype == np.float64
    exact, close, step = (1e-12, 1e-6, 1e-6) if double else (1e-4, 4e-2, 3e-3)
    along = rng.uniform(-1, 1, v.shape).astype(v.dtype)
    if "potri" in name and name[0] in "cz":  # the diagonal that potrf leaves is real
        along[v == 0.0] = 0.0

    def difference(of):
        h = v.dtype.type(step)
        return (np.asarray(of(v + h * along), float) - of(v - h * along)) / (2 * step)

    slope = gradient(Reverse, f, v)
    tangent = jvp(f, (v,), (along,))[1]
    size = 1.0 + np.linalg.norm(slope) * np.linalg.norm(along)
    assert abs(slope @ along - tangent) < exact * size
    assert abs(tangent - difference(f)) < close * size
    if not all_run():
        return
    wanted = difference(lambda x: gradient(Reverse, f, x))
    size = 1.0 + np.linalg.norm(wanted)
    slope_of = grad(f)
    nestings = {
        "forward over reverse": lambda: hvp(f, v, along),
        "reverse over forward": lambda: grad(lambda x: jvp(f, (x,), (along,))[1])(v),
        "reverse over reverse": lambda: grad(lambda x: (slope_of(x) * along).sum())(v),
    }
    for nesting, product in nestings.items():
        assert np.linalg.norm(product() - wanted) < 10 * close * size, nesting


INT, DOUBLE = ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_double)
DOT_PROTOTYPES = {
    "void pointers": (ctypes.c_double, *[ctypes.c_void_p] * 5),
    "pointers to numbers": (ctypes.c_double, INT, DOUBLE, INT, DOUBLE, INT),
    "numbers": (ctypes.c_double, *[ctypes.c_size_t] * 5),
}
DOT = get_cython_function_address("scipy.linalg.cython_blas", "ddot")
X, Y = np.array([1.0, -2.0, 3.0]), np.array([0.5, 4.0, -1.0])


@pytest.mark.parametrize(
    ("prototype", "data"),
    [
        ("void pointers", ""),
        ("void pointers", ".data"),
        ("pointers to numbers", ""),
        ("numbers", ".data"),
    ],
)
def test_prototypes(prototype, data):
    f = _dots(prototype, data, 5)
    dx, dy = gradient(Reverse, f, X, Y)
    np.testing.assert_allclose(dx, 2 * (X @ Y) * Y, rtol=1e-15)
    np.testing.assert_allclose(dy, 2 * (X @ Y) * X, rtol=1e-15)


def _dots(prototype, data, count):
    """The product of what this prototype gives, and what another gives in the same module."""
    one, other = DOT_PROTOTYPES[prototype], DOT_PROTOTYPES["void pointers"]
    scope = {
        "np": np,
        "one": ctypes.CFUNCTYPE(*one[: count + 1])(DOT),
        "other": ctypes.CFUNCTYPE(*other)(DOT),
    }
    names = "n x step y step".split()

    def call(name, data, count):
        return f"{name}({', '.join(f'{p}.ctypes{data}' for p in names[:count])})"

    source = f"""def f(x, y):
    n, step = np.array([x.size], np.int32), np.ones(1, np.int32)
    return {call("one", data, count)} * {call("other", ".data", 5)}"""
    exec(source, scope)
    return scope["f"]


def test_a_prototype_of_another_routine_is_an_address():
    with pytest.raises(EnzymeError, match="by its address"):
        gradient(Reverse, _dots("void pointers", ".data", 4), X, Y)


@pytest.mark.parametrize(
    ("module", "name", "count", "said"),
    [
        ("cython_blas", "drot", 7, "the call of 'drot'(.|\n)*write the rotation as a loop"),
        ("cython_lapack", "dgtsv", 8, "the call of 'dgtsv'(.|\n)*no formula(.|\n)*docs/llvm.md"),
    ],
)
def test_what_has_no_formula_is_named(module, name, count, said):
    address = get_cython_function_address(f"scipy.linalg.{module}", name)
    called = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * count)(address)
    passed = ", ".join(["x.ctypes.data"] * count)
    scope = {"called": called}
    exec(f"def f(x):\n    called({passed})\n    return x[0]", scope)
    with pytest.raises(EnzymeError, match=said):
        gradient(Reverse, scope["f"], X)


def test_a_constant_call_may_be_any_routine():
    """It is called as it is; `lapmt` moves columns."""
    address = get_cython_function_address("scipy.linalg.cython_lapack", "dlapmt")
    permute = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 6)(address)

    @njit
    def permuted(weights):
        m, n = np.array([1], np.int32), np.array([weights.size], np.int32)
        order, forwards, made = np.array([2, 3, 1], np.int32), np.ones(1, np.int32), weights.copy()
        permute(
            *(forwards.ctypes.data, m.ctypes.data, n.ctypes.data),
            *(made.ctypes.data, m.ctypes.data, order.ctypes.data),
        )
        return made

    def f(x, weights):
        return (permuted(weights) * x).sum()

    slope, nothing = gradient(Reverse, f, X, Const(Y))
    assert nothing is None
    np.testing.assert_array_equal(slope, [4.0, -1.0, 0.5])


ALONE = """
import numpy as np
from enzyme import Reverse, gradient
from tests.linalg.test_linalg_by_address import case_of, cut, function_of, weights_of
case, rng = case_of("{name}"), np.random.default_rng(0)
f, v = function_of(case, weights_of(case, rng)), cut(case, case.state(rng))
assert np.isfinite(gradient(Reverse, f, v)).all()
"""


@pytest.mark.rotating(4)
@pytest.mark.parametrize("name", ["dsyev", "dgeev", "sgesdd", "dgesvd"])
def test_alone_in_a_process(name):
    """What derivatives of one routine call is loaded with it, whatever was loaded before."""
    subprocess.run([sys.executable, "-c", ALONE.format(name=name)], check=True, cwd=ROOT)
