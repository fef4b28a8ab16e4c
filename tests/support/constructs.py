"""What can be differentiated and what cannot, one small function each.

`docs/support.md` is written from this file (``python -m tests.support.constructs``) and the tests run every
function.  All take an array `x` of six numbers and a number `y` and return a float.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import inspect
import math
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numba import (
    cfunc,
    float64,
    guvectorize,
    literal_unroll,
    njit,
    objmode,
    prange,
    stencil,
    typed,
    types,
    vectorize,
)
from numba.experimental import jitclass, structref

from enzyme import (
    Active,
    Const,
    Duplicated,
    Forward,
    Reverse,
    ReverseSplitNoPrimal,
    autodiff,
    autodiff_thunk,
    gradient,
    typeof,
)
from tests.support import functional

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "support.md"


@dataclass(frozen=True, slots=True)
class Construct:
    """`phrase`: what the error says, or None for what works; `shown`: the example in the document."""

    group: str
    title: str
    function: Any
    phrase: str | None
    shown: str


CONSTRUCTS: list[Construct] = []


def construct(
    group: str, title: str, phrase: str | None = None, **options: Any
) -> Callable[[Any], Any]:
    """Register a function; `options` go to `njit`."""

    def register(function: Any) -> Any:
        source = textwrap.dedent(inspect.getsource(function))
        body = source.split(":\n", 1)[1] if ":\n" in source else source
        lines = [line.rstrip() for line in textwrap.dedent(body).splitlines() if line.strip()]
        shown = " ⏎ ".join(lines)
        made = njit(**options)(function)
        CONSTRUCTS.append(Construct(group, title, made, phrase, shown))
        return made

    return register


@njit
def square(v):
    return v * v


@njit
def energy(v):
    return (v * v * v).sum()


@njit
def maybe(v):
    if v > 1:
        return v * v
    return None


@njit
def scaled(v, by=None):
    return v if by is None else v * by


@njit
def total(*values):
    s = 0.0
    for v in values:
        s += v * v
    return s


@njit
def falling(v, n):
    return v if n == 0 else v * falling(0.9 * v, n - 1)


@njit
def powers(v, n):
    p = 1.0
    for _ in range(n):
        p *= v
        yield p


@vectorize
def ufunc(v, w):
    return v * math.sin(w)


@guvectorize(["void(float64[:],float64[:],float64[:])"], "(n),(n)->()", nopython=True)
def inner(v, w, out):
    out[0] = (v * w).sum()


@jitclass([("w", float64[:]), ("c", float64)])
class Layer:
    def __init__(self, w, c):
        self.w = w
        self.c = c

    def run(self, v):
        return (self.w * v).sum() * self.c


@structref.register
class PairType(types.StructRef):
    pass


class Pair(structref.StructRefProxy):
    pass


structref.define_proxy(Pair, PairType, ["first", "second"])
ENTRY = np.dtype([("a", np.float64), ("n", np.int64)])
WEIGHTS = np.arange(6.0)
FUNCTIONS = (square, njit(lambda v: math.cos(v)))


@stencil
def smoothed(a):
    return 0.5 * (a[-1] + a[1]) * a[0]


@cfunc("float64(float64)")
def called_by_c(v):
    return v * v * v


class Address(types.WrapperAddressProtocol):
    """A function of which numba knows the address and the signature."""

    def __wrapper_address__(self):
        return called_by_c.address

    def signature(self):
        return types.float64(types.float64)


ADDRESS = Address()
C_SQRT = ctypes.CDLL(ctypes.util.find_library("m")).sqrt
C_SIGNIFICAND = ctypes.CDLL(ctypes.util.find_library("m")).significand
for _function in (C_SQRT, C_SIGNIFICAND):
    _function.argtypes, _function.restype = [ctypes.c_double], ctypes.c_double

# --- control flow ---------------------------------------------------------------------------------

FLOW = "Control flow"


@construct(FLOW, "`for`, `if`, in-place updates")
def _(x, y):
    for i in range(1, len(x)):
        if x[i] > x[i - 1]:
            x[i] *= x[i - 1] * y
    return x[-1]


@construct(FLOW, "`while`, `break`, `continue`, data-dependent trip counts")
def _(x, y):
    s = y
    while s < 20.0:
        s *= 1.0 + x[0] * x[0]
        if s > 15.0:
            break
    return s


@construct(FLOW, "`return` from nested loops")
def _(x, y):
    s = 0.0
    for i in range(len(x)):
        for j in range(i):
            s += x[i] * x[j] * y
            if s > 3.0:
                return s * x[i]
    return s


@construct(FLOW, "recursion, also forward mode of forward mode; `hvp` and `hessian` are refused")
def _(x, y):
    return falling(x[0] * y, 5)


@construct(FLOW, "exceptions that are caught")
def _(x, y):
    try:
        if x[0] > 100.0:
            raise ValueError("large")
        s = x[1] * y
    except Exception:
        s = x[2]
    return s


@construct(FLOW, "generators")
def _(x, y):
    s = 0.0
    for p in powers(x[0] * y, 4):
        s += p
    return s


@construct(FLOW, "`enumerate`, `zip`, comprehensions")
def _(x, y):
    return sum([i * a * b * y for i, (a, b) in enumerate(zip(x, x[::-1]))])


@construct(FLOW, "loops in parallel, run one after the other", parallel=True)
def _(x, y):
    s = 0.0
    for i in prange(len(x)):
        s += x[i] * x[i] * y
    return s


# --- calls ----------------------------------------------------------------------------------------

CALLS = "Functions"


@construct(CALLS, "calls of other jitted functions, inlined or not")
def _(x, y):
    return square(x[0]) * y


@construct(CALLS, "optional arguments and values")
def _(x, y):
    m = maybe(y)
    return scaled(x[0]) + scaled(x[1], y) + (0.0 if m is None else m)


@construct(
    CALLS,
    "`*args`; of such a function `grad` and its relatives are called outside of compiled code",
)
def _(x, y):
    return total(x[0], y, x[1] * y)


@construct(CALLS, "functions in tuples")
def _(x, y):
    s = 0.0
    for f in literal_unroll(FUNCTIONS):
        s += f(x[0] * y)
    return s


@construct(CALLS, "ufuncs made with `@vectorize` and `@guvectorize`")
def _(x, y):
    out = np.zeros(1)
    inner(x, ufunc(x, y), out)
    return out[0]


@construct(CALLS, "functions made with `@stencil`")
def _(x, y):
    return smoothed(y * x).sum()


@construct(CALLS, "a function chosen at run time, out of a tuple or by a branch; `@cfunc`")
def _(x, y):
    f = FUNCTIONS[0] if x[0] > 1.0 else FUNCTIONS[1]
    return f(y) * called_by_c(y)


@construct(CALLS, "functions known by their address only (`__wrapper_address__`)", "by its address")
def _(x, y):
    return ADDRESS(y) * x[0]


@construct(
    CALLS,
    "functions of C (`ctypes`, `cffi`, Cython's) that are known: of the mathematics library, of SciPy (functions.md), "
    "routines of BLAS and LAPACK (llvm.md)",
)
def _(x, y):
    return C_SQRT(y) * x[0]


@construct(CALLS, "other functions of C; rules make them work", "by its address")
def _(x, y):
    return C_SIGNIFICAND(y) * x[0]


@construct(CALLS, "the interpreter, in `objmode`, on active values", "runs in the interpreter")
def _(x, y):
    z = x * y
    with objmode(s="float64"):
        s = float(z.sum())
    return s * y


# --- arrays ---------------------------------------------------------------------------------------

ARRAYS = "Arrays"


@construct(ARRAYS, "array expressions and broadcasting")
def _(x, y):
    m = x.reshape(2, 3)
    return (m * m[:, 0:1] + np.exp(m[0]) * y).sum()


@construct(ARRAYS, "views, strides, transposes, overlapping assignment")
def _(x, y):
    x[1:] = x[:-1] * y
    return (x.reshape(2, 3).T[::-1] * x[::2].sum()).sum()


@construct(ARRAYS, "boolean masks, fancy indices, `np.where`")
def _(x, y):
    x[x > 1.0] *= y
    return x[x > 0.8].sum() + x[np.array([1, 3, 1])].prod() + np.where(x > 1, x, y).sum()


@construct(ARRAYS, "`np.nditer`, `.flat`, `np.ndenumerate`, `np.ndindex`")
def _(x, y):
    s = 0.0
    for v in np.nditer(x):
        s += v.item() * y
    for place, v in np.ndenumerate(x):
        s += v * v * place[0]
    return s


@construct(ARRAYS, "reductions and cumulative sums")
def _(x, y):
    return x.sum() * x.prod() + x.max() - x.min() + x.var() + np.cumsum(x * y)[3] + np.median(x)


@construct(ARRAYS, "sorting, searching, interpolation")
def _(x, y):
    s = np.sort(x)
    return s[2] + x[np.argsort(x)[1]] * y + np.interp(y, s, x) + s[np.searchsorted(s, y) % 6]


@construct(ARRAYS, "joining, rolling, differences, convolution")
def _(x, y):
    return np.convolve(np.concatenate((x, np.roll(x, 2))), np.diff(x) * y).sum()


@construct(ARRAYS, "structured arrays and records")
def _(x, y):
    table = np.zeros(3, ENTRY)
    for i in range(3):
        table[i].a = x[i] * y
        table[i].n = i
    count = table[1].n
    return (table.a * x[:3]).sum() * count


@construct(ARRAYS, "loops over arrays of records, views of their items and fields")
def _(x, y):
    table = np.zeros(6, ENTRY)
    table.a[:] = x * y
    table.n[::2] = 2
    s = 0.0
    for entry in table[::-1]:
        s += entry.a * entry.a * entry.n
    return s


@construct(ARRAYS, "global arrays, as constants")
def _(x, y):
    return (x * WEIGHTS).sum() * y


@construct(ARRAYS, "global arrays beside differentiable ones, in one list")
def _(x, y):
    rows = [WEIGHTS, x * y]
    for _ in range(3):
        rows[0], rows[1] = rows[1], 0.5 * rows[0]
    return (rows[0] * rows[1]).sum()


@construct(ARRAYS, "random numbers, as constants")
def _(x, y):
    np.random.seed(1)
    return (x * np.random.rand(6)).sum() * y


@construct(ARRAYS, "complex numbers inside")
def _(x, y):
    z = np.exp(x * 1j) * complex(y, x[0])
    return (z * z).real.sum() + abs(z[1])


# --- linear algebra -------------------------------------------------------------------------------

LINEAR = "Linear algebra"


@construct(LINEAR, "`@`, `np.dot`, `np.outer`, `np.linalg.norm`")
def _(x, y):
    m = np.outer(x, x) * y
    return (m @ x).sum() + np.linalg.norm(m @ m)


@construct(LINEAR, "`solve`, `inv`, `det`, `slogdet`")
def _(x, y):
    m = np.outer(x, x) + np.eye(6) * y
    return np.linalg.solve(m, x).sum() + np.linalg.det(m) + np.linalg.inv(m)[0, 1]


@construct(LINEAR, "`cholesky`, `eigh`, `eigvalsh`")
def _(x, y):
    m = np.outer(x, x) + np.diag(np.arange(1.0, 7.0)) * y
    return np.linalg.cholesky(m).sum() + np.linalg.eigh(m)[1][0, 2] + np.linalg.eigvalsh(m)[1]


@construct(LINEAR, "`svd`, `qr`")
def _(x, y):
    m = np.outer(x, x)[:, :2].copy() + np.eye(6)[:, :2] * y
    q, r = np.linalg.qr(m)
    return np.linalg.svd(m, False)[1][1] + q[1, 1] * r[0, 1]


@construct(LINEAR, "`pinv`, `lstsq`, `eig`, `eigvals`")
def _(x, y):
    m = np.outer(x, x)[:, :2].copy() + np.eye(6)[:, :2] * y
    s = np.linalg.eigvals(m[:2] * y)[0] + np.linalg.pinv(m)[0, 1]
    return s + np.linalg.lstsq(m, x)[0][1]


@construct(
    LINEAR,
    "`np.linalg.norm` and `cond` of all orders, `matrix_rank`, `matrix_power`, `kron`, `trace`",
)
def _(x, y):
    m = x.reshape(2, 3)[:, :2].copy() * y
    s = np.linalg.norm(m, 2) + np.linalg.cond(m) + np.linalg.cond(m, 1) * np.linalg.matrix_rank(m)
    return s + np.linalg.matrix_power(m, 3)[0, 1] + np.kron(m, m)[1, 1] * np.trace(m)


# --- containers and objects -----------------------------------------------------------------------

OBJECTS = "Containers and objects"


@construct(OBJECTS, "lists and typed lists that grow")
def _(x, y):
    a = [y]
    b = typed.List.empty_list(types.float64)
    for v in x:
        a.append(v * a[-1])
        b.append(v * y)
    return a[-1] + b.pop() * b[0]


@construct(OBJECTS, "typed lists of arrays, of lists and of tuples that hold arrays")
def _(x, y):
    a = typed.List()
    for i in range(3):
        a.append((x * i, y))
    a[1] = (a[2][0] * y, x[0])
    del a[0]
    return a.pop()[0].sum() * a[0][0][1] * a[0][1]


@construct(OBJECTS, "typed dictionaries of numbers, arrays and tuples; removal of keys")
def _(x, y):
    d = typed.Dict.empty(types.int64, types.float64)
    for i in range(6):
        d[i % 3] = d.get(i % 3, y) * x[i]
    e = typed.Dict()
    for k, v in d.items():
        e[k] = (x * v, v)
    del e[1]
    return e[2][0].sum() * e[0][1]


@construct(OBJECTS, "sets of integers, strings, as constants")
def _(x, y):
    s = 0.0
    for i in {1, 2, 3}:
        s += x[i] * y
    return s * len("abc")


@construct(OBJECTS, "jitclass instances")
def _(x, y):
    layer = Layer(x, y)
    layer.c *= x[0]
    return layer.run(x)


@construct(OBJECTS, "structrefs")
def _(x, y):
    pair = Pair(x, y)
    pair.second = pair.second * x[0]
    return pair.first.sum() * pair.second


@construct(OBJECTS, "dictionaries with floats as keys")
def _(x, y):
    d = typed.Dict.empty(types.float64, types.float64)
    for i in range(6):
        d[i * 0.5] = x[i] * y
    s = 0.0
    for k, v in d.items():
        s += k * v
    return s


@construct(OBJECTS, "dictionary keys that have a derivative", "a dictionary key that depends")
def _(x, y):
    d = typed.Dict.empty(types.float64, types.float64)
    d[x[0]] = y
    return d[x[0]]


NESTED = "Derivatives inside"


@construct(NESTED, "`autodiff` and `gradient`: derivatives of derivatives")
def _(x, y):
    (slope,) = autodiff(Reverse, square, Active, Active(x[0] * y))[0]
    return slope + gradient(Reverse, energy, x)[1] * y


@construct(NESTED, "thunks of forward mode")
def _(x, y):
    thunk = autodiff_thunk(Forward, Const[typeof(square)], Duplicated, Duplicated[float])
    return thunk(Const(square), Duplicated(x[0] * y, x[1]))[1]


@construct(
    NESTED, "thunks of split mode, whose tapes are objects", "a tape cannot be differentiated"
)
def _(x, y):
    ahead, back = autodiff_thunk(ReverseSplitNoPrimal, Const[typeof(square)], Active, Active[float])
    tape = ahead(Const(square), Active(x[0] * y))[0]
    return back(Const(square), Active(x[0] * y), 1.0, tape)[0][0]


# --- the document ---------------------------------------------------------------------------------

HEAD = """\
# What is supported

Every line is a test: the function is differentiated in forward and reverse mode, or refused with an error that
names the construct and your line. `x` is an array, `y` a number, ⏎ ends a line. This page is written by
`python -m tests.support.constructs`.

What numba does not compile is not listed: it ends in numba's own error.
"""


def document() -> str:
    """The text of `docs/support.md`."""
    parts = [HEAD]
    for group in dict.fromkeys(c.group for c in CONSTRUCTS):
        parts.append(f"\n## {group}\n\n| construct | supported | example |\n|---|---|---|\n")
        for c in CONSTRUCTS:
            if c.group == group:
                code = c.shown.replace("|", "\\|")
                parts.append(f"| {c.title} | {'no' if c.phrase else 'yes'} | `{code}` |\n")
    return "".join(parts) + "\n" + functional.table()


if __name__ == "__main__":
    # Under the name by which everybody else imports it.
    from tests.support import constructs

    DOCUMENT.write_text(constructs.document(), encoding="utf-8")
