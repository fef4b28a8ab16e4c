"""Calls, tuples, exceptions, closures, globals and arguments that carry no derivative."""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np
from numba import njit, objmode

from tests.programs.cases import program
from tests.programs.values import Held

GRAVITY = 9.81
WEIGHTS = np.array([0.5, 1.5, -2.0])
Point = namedtuple("Point", ["x", "y"])
Body = namedtuple("Body", ["mass", "centre", "index"])
Fields = namedtuple("Fields", ["u", "v"])


# --- calls ----------------------------------------------------------------------------------------


@njit
def _square(x):
    return x * x


@njit
def _sum_of_squares(x):
    s = 0.0
    for i in range(len(x)):
        s += _square(x[i])
    return s


@program(lambda rng: (rng.standard_normal(5),), single=True)
@njit
def inlined_calls(x):
    return _square(_sum_of_squares(x)) + _square(x[0])


@njit(no_cpython_wrapper=True)
def _polynomial(x, n):
    s = 0.0
    for i in range(n):
        s = math.tanh(s) * x + math.sin(i * x)
        for j in range(n):
            s += x * math.cos(j * x) / (j + 1)
            if s > 2.0:
                s -= x
            elif s < -2.0:
                s += math.exp(-x * x)
            else:
                s += math.tanh(s * x) + math.atan(s) * math.sqrt(1.0 + s * s)
    return s


@program(lambda rng: (0.7, 0.3))
@njit
def large_callee_called_often(x, y):
    s = _polynomial(x, 3) * _polynomial(y, 4)
    s += _polynomial(x * y, 2) + _polynomial(s * 0.01, 3)
    s += _polynomial(s * 0.02 + y, 2) + _polynomial(x - y, 4) + _polynomial(x + y, 4)
    return s


@njit
def _factorial_like(x, n):
    if n <= 0:
        return 1.0
    return (x + n) * _factorial_like(x, n - 1)


@program(lambda rng: (0.7, 5), lambda rng: (0.7, 0))
@njit
def recursion(x, n):
    return _factorial_like(x, n) + x


@njit
def _tree_sum(x, low, high):
    if high - low == 1:
        return math.sin(x[low])
    middle = (low + high) // 2
    left = _tree_sum(x, low, middle)
    right = _tree_sum(x, middle, high)
    return left * right + left - right


@program(lambda rng: (rng.standard_normal(7),), single=True)
@njit
def recursion_over_array(x):
    return _tree_sum(x, 0, len(x))


@njit
def _scale_in_place(x, a, depth):
    if depth == 0:
        return
    for i in range(len(x)):
        x[i] = x[i] * a + 0.1 * x[i - 1] * x[i]
    _scale_in_place(x, a * 0.9, depth - 1)


@program(lambda rng: (rng.standard_normal(4), 0.8))
@njit
def recursion_in_place(x, a):
    _scale_in_place(x, a, 3)
    return x[0] * a


@njit
def _fibonacci(x, n):
    if n < 2:
        return x + n
    return _fibonacci(x, n - 1) * 0.5 + _fibonacci(x, n - 2) * x


@program(lambda rng: (0.7, 7))
@njit
def recursion_twice(x, n):
    return _fibonacci(x, n)


@njit
def _ackermann_array(x, n):
    t = x * 0.5
    if n > 0:
        t = t + _ackermann_array(t, n - 1) * x[0]
    return t


@program(lambda rng: (rng.standard_normal(3),))
@njit
def recursion_returns_arrays(x):
    return _ackermann_array(x, 3).sum()


@njit(inline="never")
def _both(x, y):
    return x * y, math.sin(x) + y


@program(lambda rng: (0.7, 1.3))
@njit
def callee_returns_tuple(x, y):
    for _ in range(4):
        x, y = _both(x, y)
    a, b = _both(y, x)
    return a * b + x


@njit
def _split(x):
    return x[::2] * 2.0, x[1::2].copy(), len(x)


@program(lambda rng: (rng.standard_normal(6),))
@njit
def callee_returns_arrays(x):
    a, b, n = _split(x)
    return (a * b).sum() * n


@njit
def _apply(f, x):
    return f(f(x))


@program(lambda rng: (0.7,))
@njit
def functions_as_values(x):
    return _apply(_square, x) + _apply(math.sin, x) if False else _apply(_square, x)


@njit
def _with_defaults(x, a=2.0, b=3.0):
    return x * a + b * x * x


@program(lambda rng: (0.7, 1.1))
@njit
def default_and_keyword_arguments(x, y):
    return _with_defaults(x) + _with_defaults(x, b=y) + _with_defaults(y, x)


@njit
def _total(*values):
    s = 0.0
    for v in values:
        s += v * v
    return s


@program(lambda rng: (0.7, 1.1))
@njit
def star_arguments(x, y):
    return _total(x, y, x * y)


@njit
def _maybe_raise(x):
    if x < 0.0:
        raise ValueError("negative")
    return math.sqrt(x)


@program(lambda rng: (rng.uniform(0.5, 1.5, 5),))
@njit
def callee_may_raise(x):
    s = 0.0
    for i in range(len(x)):
        s += _maybe_raise(x[i]) * x[i]
    return s


@program(lambda rng: (rng.uniform(0.5, 1.5, 5), 0.4))
@njit
def raise_under_condition(x, a):
    t = np.empty(len(x))
    for i in range(len(x)):
        if x[i] > 100.0:
            raise OverflowError("too large")
        t[i] = x[i] * a
    assert t[0] < 1000.0, "too large again"
    return (t * t).sum()


@program(lambda rng: (rng.uniform(0.5, 1.5, 5),), lambda rng: (rng.uniform(-1.5, -0.5, 5),))
@njit
def try_and_except(x):
    try:
        if x[0] < 0.0:
            raise ValueError("negative")
        s = 3.0 * x[0] * x[1]
    except Exception:
        s = 2.0 * x[1] * x[2] * x[2]
    return s


# --- tuples ---------------------------------------------------------------------------------------


@program(lambda rng: ((0.7, 1.3),), single=True)
@njit
def tuple_argument(p):
    return p[0] * p[1] + math.sin(p[0])


@program(lambda rng: (Point(0.7, 1.3), Point(0.1, 0.4)))
@njit
def named_tuple_argument(p, q):
    return math.hypot(p.x - q.x, p.y - q.y) * p.x


@program(lambda rng: (Body(1.7, 0.3, 4),))
@njit
def named_tuple_with_integer(body):
    return body.mass * body.centre**2 * body.index


@program(lambda rng: (((0.7, 1.3), 0.2),))
@njit
def nested_tuple(t):
    (a, b), c = t
    return a * b * c + c


@program(lambda rng: ((0.7, 1.3, 0.4, 2.0),))
@njit
def loop_over_tuple(t):
    s = 1.0
    for v in t:
        s = s * v + v
    return s


@program(lambda rng: ((rng.standard_normal(4), rng.standard_normal(4)), 0.6))
@njit
def tuple_of_arrays(pair, a):
    x, y = pair
    s = 0.0
    for i in range(4):
        s += x[i] * y[i] * a
        y[i] = s
    return s


@program(lambda rng: (Fields(rng.standard_normal((2, 3)), rng.standard_normal(3)),))
@njit
def named_tuple_of_arrays(fields):
    for i in range(2):
        for j in range(3):
            fields.u[i, j] *= fields.v[j]
            fields.v[j] += 0.1 * fields.u[i, j]


@program(lambda rng: (0.7, 1.3))
@njit
def local_named_tuple(x, y):
    p = Point(x, y)
    for _ in range(3):
        p = Point(p.y * x, p.x + y)
    return p.x * p.y


@program(lambda rng: (0.7, 1.3), lambda rng: (2.0, 0.2))
@njit
def returns_tuple(x, y):
    return x * y, math.sin(x)


@program(lambda rng: (rng.standard_normal(4), 1.3))
@njit
def returns_array(x, a):
    return x * a


@program(lambda rng: (rng.standard_normal(4), 1.3))
@njit
def returns_tuple_of_array_and_float(x, a):
    y = x * a
    return y, y[0] * a


@program(lambda rng: (rng.standard_normal(4), 1.3))
@njit
def returns_its_argument(x, a):
    x *= a
    return x


@program(lambda rng: (rng.standard_normal(4), 1.3))
@njit
def returns_none(x, a):
    x[0] = a * x[1]


@program(lambda rng: (rng.standard_normal(4), 1.3))
@njit
def returns_integer(x, a):
    x[0] = a * x[1]
    return len(x)


# --- what carries no derivative ---------------------------------------------------------------------


@program(lambda rng: (0.7, "sin"), lambda rng: (0.7, "square"))
@njit
def string_argument(x, kind):
    if kind == "sin":
        return math.sin(x)
    return x * x


@program(lambda rng: (0.7, None), lambda rng: (0.7, 1.4))
@njit
def none_argument(x, scale):
    if scale is None:
        return x * x
    return x * scale


@program(lambda rng: (0.7, 1 + 2j))
@njit
def complex_constant(x, z):
    return (z * x).real * x


@program(lambda rng: (0.7, (3, 4)))
@njit
def shape_argument(x, shape):
    t = np.full(shape, x)
    return (t * t).sum()


@program(lambda rng: (rng.standard_normal(3), 1.2))
@njit
def global_constants(x, t):
    s = GRAVITY * t * t / 2
    for i in range(3):
        s += WEIGHTS[i] * x[i] * x[i]
    return s


def _closure(a, b):
    @njit
    def closure_over_floats(x):
        return a * x * x + b * math.sin(x)

    return closure_over_floats


program(lambda rng: (0.7,))(_closure(2.0, -0.5))


def _closure_over_array():
    table = np.linspace(0.5, 2.0, 5)

    @njit
    def closure_over_array(x):
        s = 0.0
        for i in range(5):
            s += table[i] * x**i
        return s

    return closure_over_array


program(lambda rng: (0.7,))(_closure_over_array())


@program(lambda rng: (0.7, 1.2))
@njit
def inner_function(x, y):
    def inner(t):
        return t * y + math.cos(t)

    return inner(x) * inner(y)


@program(lambda rng: (0.7,))
@njit
def prints_nothing_much(x):
    if x > 100.0:
        print("large", x)
    return x * x


@program(lambda rng: (0.7, Held(2.5)))
@njit
def object_mode_inactive(x, scale):
    with objmode(y="float64"):
        y = float(np.sqrt(scale))
    return x * y


@program(lambda rng: (rng.standard_normal(4),))
@njit
def comparison_counts(x):
    n = 0
    for v in x:
        if v > 0.0:
            n += 1
    return x[0] * n + x.argmax() * x[1]


@program(lambda rng: (rng.standard_normal(4), 3))
@njit
def integer_arithmetic(x, n):
    k = (n * 7 + 3) % 4
    mask = (k << 2) | 1
    return x[k] * mask + x[(k ^ 1) & 3] * (n // 2)


@program(lambda rng: (1.5,))
@njit
def list_of_floats(x):
    values = [x, x * x]
    values.append(math.sin(x))
    s = 0.0
    for v in values:
        s += v * v
    return s


@program(lambda rng: (rng.standard_normal(3),))
@njit
def list_of_arrays(x):
    parts = [x * 1.0]
    for k in range(3):
        parts.append(parts[k] * x[0])
    return (parts[3] * parts[1]).sum()
