"""Small numba functions of many kinds, with the signature each is compiled for."""

from __future__ import annotations

import cmath
import math
from collections import namedtuple

import numba as nb
import numpy as np

f8, f4, i8, i4, u1, c16, b1 = (
    nb.float64, nb.float32, nb.int64, nb.int32, nb.uint8, nb.complex128, nb.boolean,
)  # fmt: skip
A1, A2, A3, AF = f8[::1], f8[:, ::1], f8[:, :, ::1], f8[::1, :]
S1, I1, C1, F1 = f8[:], i8[::1], c16[::1], f4[::1]
Point = namedtuple("Point", "x y")
PROGRAMS: list[tuple[str, object, tuple]] = []


def program(*signature, **options):
    def add(function):
        PROGRAMS.append((function.__name__, function, signature, options))
        return function

    return add


def many(*cases):
    for name, function, signature in cases:
        PROGRAMS.append((name, function, signature, {}))


many(
    ("square", lambda x: x * x, (f8,)),
    ("mixed", lambda x, n: x * n + n // 3, (f8, i8)),
    ("power", lambda x, y: x**y, (f8, f8)),
    ("int_power", lambda x, n: x**n, (f8, i8)),
    ("trigonometry", lambda x: math.sin(x) + math.cos(x) * math.tan(x), (f8,)),
    ("hyperbolic", lambda x: math.sinh(x) + math.cosh(x) + math.tanh(x), (f8,)),
    ("exp_log", lambda x: math.exp(x) * math.log(x) + math.log1p(x) - math.expm1(x), (f8,)),
    ("inverse", lambda x: math.asin(x) + math.acos(x) + math.atan2(x, 2.0), (f8,)),
    ("special", lambda x: math.erf(x) + math.gamma(x) + math.lgamma(x), (f8,)),
    ("rounding", lambda x: math.floor(x) + math.ceil(x) + round(x), (f8,)),
    ("modulo", lambda x, y: x % y + math.copysign(x, y), (f8, f8)),
    ("division", lambda x, y: x / y, (f8, f8)),
    ("int_division", lambda x, y: x // y - x % y, (i8, i8)),
    ("bits", lambda x, y: (x << 3) ^ (y >> 2) | (x & y) + ~x, (i8, i8)),
    ("narrow", lambda x, y: x + y, (i4, u1)),
    ("single", lambda x, y: x * y + np.float32(1.5), (f4, f4)),
    ("chosen", lambda x: x if x > 0 else -2 * x, (f8,)),
    ("extremes", lambda x, y: min(x, y) + max(x, 3.0) + abs(y), (f8, f8)),
    ("booleans", lambda a, b: (a and not b) or (a != b), (b1, b1)),
    ("complex_mul", lambda z, w: z * w + z.real - w.conjugate(), (c16, c16)),
    ("complex_div", lambda z, w: z / w, (c16, c16)),
    ("complex_math", lambda z: cmath.exp(z) + cmath.sqrt(z) + cmath.sin(z), (c16,)),
    ("tuple_out", lambda x, y: (x, y + 1, (x * y, 3)), (f8, i8)),
    ("tuple_in", lambda t: t[0] + t[1], (nb.types.UniTuple(f8, 2),)),
    ("none", lambda: None, ()),
    ("constant", lambda: 3.25, ()),
    ("array_item", lambda a, i: a[i], (A1, i8)),
    ("array_sum", lambda a: a.sum(), (A1,)),
    ("array_mean", lambda a: a.mean() + a.std(), (A1,)),
    ("array_expr", lambda a, b: a * b + 2.0, (A1, A1)),
    ("array_func", lambda a: np.sin(a) + np.exp(a), (A1,)),
    ("array_2d", lambda a: a[1, 2] + a.shape[0], (A2,)),
    ("array_3d", lambda a: a[0, 1, 2], (A3,)),
    ("fortran", lambda a: a[1, 0] + a.T[0, 1], (AF,)),
    ("strided", lambda a: a[::2].sum(), (S1,)),
    ("reshaped", lambda a: a.reshape(2, 3), (A1,)),
    ("zeros", lambda n: np.zeros(n) + np.ones(n), (i8,)),
    ("arange", lambda n: np.arange(n), (i8,)),
    ("linspace", lambda n: np.linspace(0.0, 1.0, n), (i8,)),
    ("argmax", lambda a: a.argmax() + np.argmin(a), (A1,)),
    ("cumsum", lambda a: np.cumsum(a), (A1,)),
    ("int_array", lambda a: a * 2 + a // 3, (I1,)),
    ("complex_array", lambda a: a * 1j, (C1,)),
    ("float_array", lambda a: a + a, (F1,)),
    ("mask", lambda a: a[a > 0], (A1,)),
    ("where", lambda a: np.where(a > 0, a, -a), (A1,)),
    ("dot", lambda a, b: np.dot(a, b), (A1, A1)),
    ("matmul", lambda a, b: a @ b, (A2, A2)),
    ("solve", lambda a, b: np.linalg.solve(a, b), (A2, A1)),
    ("string", lambda s: s + "ab", (nb.types.unicode_type,)),
    ("string_len", lambda s: len(s.upper()), (nb.types.unicode_type,)),
    ("random", lambda: np.random.normal() + np.random.random(), ()),
)


@program(f8, i8)
def loop(x, n):
    s = 0.0
    for i in range(n):
        s += x * i
    return s


@program(f8)
def while_loop(x):
    while x > 1.0:
        x /= 2.0
    return x


@program(A2)
def nested(a):
    s = 0.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            if a[i, j] > 0:
                s += a[i, j] ** 2
    return s


@program(A1, A1)
def stencil(a, out):
    for i in range(1, len(a) - 1):
        out[i] = 0.5 * (a[i - 1] + a[i + 1])


@program(i8)
def fibonacci(n):
    if n < 2:
        return n
    return fibonacci_step(n - 1) + 1


@nb.njit
def fibonacci_step(n):
    return n * 2


@program(f8)
def raises(x):
    if x < 0:
        raise ValueError("negative")
    return math.sqrt(x)


@program(f8)
def catches(x):
    try:
        if x < 0:
            raise ValueError("negative")
        y = math.sqrt(x)
    except Exception:
        y = 0.0
    return y


@program(f8)
def closure(x):
    def inner(y):
        return x * y + 1

    return inner(2.0) + inner(x)


@program(i8)
def lists(n):
    values = [0.0]
    for i in range(n):
        values.append(i * 1.5)
    return sum(values)


@program(i8)
def dicts(n):
    table = {0: 1.0}
    for i in range(n):
        table[i] = table.get(i - 1, 0.0) + i
    return table[0]


@program(i8)
def sets(n):
    found = set()
    for i in range(n):
        found.add(i % 3)
    return len(found)


@program(i8)
def generator(n):
    total = 0
    for i in steps(n):
        total += i
    return total


@nb.njit
def steps(n):
    for i in range(n):
        yield i * i


@program(f8, f8)
def named_tuple(x, y):
    p = Point(x, y)
    return p.x * p.y


@program(A1, parallel=True)
def parallel_sum(a):
    s = 0.0
    for i in nb.prange(len(a)):
        s += a[i]
    return s


@program(A1, fastmath=True)
def fast(a):
    s = 0.0
    for x in a:
        s += x * x
    return s


@program(i8, error_model="numpy")
def numpy_errors(n):
    return 1.0 / n


@program(A1, boundscheck=True)
def checked(a):
    return a[len(a) - 1]


@program(f8, debug=True)
def debugged(x):
    y = x * 2
    for i in range(3):
        y += i
    return y


@program(A1, nogil=True)
def sorted_array(a):
    return np.sort(a)
