"""What numba compiles beyond loops and arrays: optional values, ufuncs, options, objects, generators."""

from __future__ import annotations

import math

import numpy as np
from numba import float64, guvectorize, njit, prange, types, vectorize
from numba.experimental import jitclass, structref

from tests.programs.cases import program


def scalars(n):
    return lambda r: tuple(map(float, r.uniform(0.5, 1.5, n)))


def arrays(*shapes):
    return lambda r: tuple(r.uniform(0.5, 1.5, shape) for shape in shapes)


# --- values that may be absent --------------------------------------------------------------------


@njit
def maybe_square(x, n):
    if n > 2:
        return x * x
    return None


@njit
def scaled(x, scale=None):
    if scale is None:
        return x * x
    return x * scale


@program(lambda r: (r.uniform(0.5, 1.5), 3), lambda r: (r.uniform(0.5, 1.5), 1))
@njit
def optional_values(x, n):
    y = None
    if n > 2:
        y = x * x
    z = maybe_square(x, n)
    s = scaled(x) + scaled(x, math.sin(x))
    if y is not None:
        s += y * x
    if z is None:
        return s
    return s * z


@njit
def squares_of(*values):
    s = 0.0
    for v in values:
        s += v * v
    return s


@program(scalars(2))
@njit
def star_arguments(x, y):
    return squares_of(x, y, x * y) + squares_of(x)


# --- ufuncs ---------------------------------------------------------------------------------------


@vectorize(["float64(float64,float64)"])
def eager_ufunc(x, y):
    return x * math.sin(y) if x > y else x * y


@vectorize
def lazy_ufunc(x, y):
    return x * math.sin(y)


@guvectorize(["void(float64[:],float64[:],float64[:])"], "(n),(n)->()", nopython=True)
def inner(x, y, out):
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i] * y[i] * y[i]
    out[0] = s


@program(arrays(4, 4), arrays((2, 3), 3))
@njit
def vectorised(x, y):
    return eager_ufunc(x, y).sum() + (lazy_ufunc(x, y) * x).sum() + eager_ufunc(0.5, 0.7)


@program(arrays((3, 4), (3, 4)))
@njit
def generalised_ufunc(x, y):
    out = np.zeros(3)
    inner(x, y, out)
    return (out * out).sum()


# --- options and declared signatures --------------------------------------------------------------


@njit("float64(float64)")
def declared(x):
    return x * x


@njit(fastmath=True, cache=False)
def reassociated(x):
    s = 0.0
    for v in x:
        s += v * v * v
    return s


@njit(error_model="numpy")
def numpy_division(x):
    return (1 / x).sum()


@program(arrays(5))
@njit(boundscheck=True)
def options(x):
    return declared(x[1]) * x[2] + reassociated(x) + numpy_division(x)


@program(arrays(6))
@njit(parallel=True)
def parallel(x):
    s = 0.0
    for i in prange(len(x)):
        s += x[i] * x[i]
    return s


# --- control flow ---------------------------------------------------------------------------------


@program(lambda r: (r.uniform(0.5, 1.5, 6), 3), lambda r: (r.uniform(0.5, 1.5, 6), 100))
@njit
def early_return_from_a_nest(x, k):
    s = 0.0
    for i in range(len(x)):
        for j in range(len(x)):
            s += x[i] * x[j]
            if i * j > k:
                return s * x[j]
    return s


@program(arrays(6))
@njit
def bound_changes_in_the_body(x):
    n = len(x)
    i = 0
    s = 0.0
    while i < n:
        s += x[i] * x[n - 1]
        i += 1
        if s > 3:
            n -= 1
    return s


@njit
def falling(x, n):
    if n <= 0:
        return x
    return falling(x * 0.9, n - 1) * x + falling(x, n - 2)


@program(scalars(1))
@njit
def tree_recursion(x):
    return falling(x, 7)


@njit
def powers(x, n):
    """Of a number: numba itself keeps an array that is given to a generator."""
    p = 1.0
    for _ in range(n):
        p *= x
        yield p
        yield p * p


@program(scalars(1))
@njit
def generators(x):
    s = 0.0
    for i, v in enumerate(powers(x, 4)):
        s += v * i
    return s


@program(arrays(3), lambda r: (np.array([200.0, 0.7, 0.3]),))
@njit
def exception_handlers(x):
    try:
        if x[0] > 100:
            raise ValueError("large")
        y = x[0] * 2
    except Exception:
        y = x[1] * x[1]
    return y * x[2]


@program(arrays(4))
@njit
def iterators(x):
    s = 0.0
    for i, v in enumerate(x):
        s += i * v * v
    for a, b in zip(x, x[::-1]):
        s += a * b
    for v in x.flat:
        s += v
    for i, v in np.ndenumerate(x):
        s += v * i[0]
    for place in np.ndindex(x.shape):
        s += x[place] * x[place]
    for letter in "abc":
        if letter == "b":
            s *= x[0]
    return s


# --- objects --------------------------------------------------------------------------------------


@jitclass([("w", float64[:]), ("c", float64)])
class Layer:
    def __init__(self, w, c):
        self.w = w
        self.c = c

    def run(self, x):
        return np.tanh(self.w * x).sum() * self.c


@program(lambda r: (r.uniform(0.5, 1.5, 3), r.uniform(0.5, 1.5)))
@njit
def instances(w, x):
    first = Layer(w, x)
    second = Layer(w[::-1] * 2, first.run(x))
    first.c *= x
    second.w[1] = first.c
    return first.run(x) + second.run(x) + first.w[0]


@structref.register
class PairType(types.StructRef):
    pass


class Pair(structref.StructRefProxy):
    def __new__(cls, x, y):
        return structref.StructRefProxy.__new__(cls, x, y)


structref.define_proxy(Pair, PairType, ["x", "y"])


@program(arrays(3), python=False)
@njit
def structure_references(x):
    pair = Pair(x, x[0])
    pair.y = pair.y * 2
    return pair.x.sum() * pair.y


ENTRY = np.dtype([("a", np.float64), ("n", np.int64), ("b", np.float64, (3,))])


@program(arrays(4), python=False)
@njit
def records_made_inside(x):
    table = np.zeros(4, ENTRY)
    for i in range(4):
        table[i].a = x[i] * x[i]
        table[i].n = i
        table[i].b[1] = table[i].a * x[0]
    s = 0.0
    for i in range(4):
        row = table[i]
        s += row.a * row.b[1] * row.n
    return s + table.a.sum()


NESTED = np.dtype([("i", np.int8), ("row", ENTRY), ("c", np.complex64), ("flag", np.bool_)])
UNION = np.dtype(
    {"names": ["a", "low"], "formats": ["f8", "i4"], "offsets": [2, 2], "itemsize": 16}
)


@njit
def _rotate(table, n):
    if n > 0:
        first = table[0:1].copy()
        table[:-1] = table[1:]
        table[-1] = first[0]
        _rotate(table, n - len(first))


@program(arrays(3), python=False)
@njit
def unions_copied(x):
    union = np.zeros(3, UNION)
    union[0].a = x[0] * x[1]
    union[1] = union[0]
    union[1:] = union[:-1].copy()
    s = union[1].a + union[2].a * x[2]
    return s * (len(union) - 2)  # as below


@program(arrays(3), python=False)
@njit
def records_copied(x):
    table, other = np.zeros(3, NESTED), np.zeros(2, ENTRY)
    for i in range(3):
        table[i].row.a = x[i] * x[i]
        table[i].row.b[2] = math.sin(x[i])
        table[i].flag = i == 1
    _rotate(table, 2)
    other[1] = table[0].row
    s = 0.0
    for i in range(3):
        if table[i].flag:
            s += table[i].row.a * x[0]
    s = s * other[1].a + other[1].b[2]
    # Numba frees an array before it reads a field of the last record that is taken from it.
    return s * (len(other) - 1)


@njit
def _mark(table, p):
    for i in range(len(table)):
        table[i].a = math.sin(table[i].a + p)
        table[i].b[i] = 0.5 * p


@njit
def _moved_down(table, a, n):
    if n <= 0:
        return 0.5 * a
    if n > 1:
        table[0] = table[2]
    else:
        _mark(table, 0.1 * n)
    return _moved_down(table, 0.5 * a, n - 1)


@program(lambda r: (r.uniform(0.5, 1.5), 1), lambda r: (r.uniform(0.5, 1.5), 3), python=False)
@njit
def records_copied_and_indexed_inside(a, n):
    """An index into a field looks as if it reached all fields; an integer between them stays one."""
    table = np.zeros(3, ENTRY)
    for i in range(3):
        table[i].a = a * (i + 1)
        table[i].n = i
    s = _moved_down(table, a, n)
    s += table[0].a * table[1].a + table[0].n * a + table[2].b[2] * a
    return s * (len(table) - 2)
