"""Scalars: straight-line code, branches, loops with known and with data-dependent trip counts."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from tests.programs.cases import program


def scalars(*values):
    return lambda rng: tuple(v + 0.01 * rng.uniform() for v in values)


# --- straight-line code ---------------------------------------------------------------------------


@program(scalars(1.2, -0.7), single=True)
@njit
def rosenbrock(x, y):
    return (1.0 - x) ** 2 + 100.0 * (y - x * x) ** 2


@program(scalars(0.3, 1.4, 2.2), single=True)
@njit
def mixed_formula(a, b, c):
    t = a * b + math.sin(c)
    u = t / (1.0 + c * c)
    return u * t - math.exp(-a) + b**3


@program(scalars(0.4), single=True)
@njit
def identity(x):
    return x


@program(scalars(0.4))
@njit
def constant_result(x):
    return 3.5


@program(scalars(0.4, 1.1))
@njit
def unused_argument(x, y):
    return x * x


@program(scalars(0.3))
@njit
def elementary_functions(x):
    s = math.sin(x) + math.cos(2 * x) * math.tan(x)
    s += math.asin(x) + math.acos(x / 2) * math.atan(3 * x)
    s += math.sinh(x) + math.cosh(x) * math.tanh(x)
    s += math.asinh(x) + math.acosh(1.5 + x) * math.atanh(x)
    return s + math.expm1(x) + math.log1p(x) + math.sqrt(x)


@program(scalars(1.7, 0.6))
@njit
def two_argument_functions(x, y):
    s = math.pow(x, y) + x**y + math.atan2(y, x) + math.hypot(x, y)
    s += math.copysign(x, -y) + math.fabs(-x) * y + np.fmod(5 * x, y)
    return s + math.log(x) * math.log2(y + 2) + math.log10(x + y)


@program(scalars(0.8, 2.3))
@njit
def special_functions(x, y):
    return math.erf(x) + math.erfc(y) + math.gamma(y) + math.lgamma(x + 1.0)


@program(scalars(1.3))
@njit
def integer_powers(x):
    return x**2 + x**3 + x**7 + x ** (-2) + x**0.5 + x**1.5


@program(lambda rng: (1.3, 5), lambda rng: (0.7, 0), lambda rng: (1.1, -3))
@njit
def power_by_argument(x, n):
    return x**n + 1.0 / (x**n)


@program(scalars(5.3, 1.7))
@njit
def python_modulo(x, y):
    return (x % y) * x + (x // y) * y + (-x) % y


@program(scalars(2.3, 1.1))
@njit
def rounding(x, y):
    return math.floor(x) * y + math.ceil(x) * y * y + round(x) * x + int(x) * y + math.trunc(y)


@program(lambda rng: (1.5, np.float32(0.75)), fd_tolerance=1e-3, dot_tolerance=1e-6, fd_step=0.03)
@njit
def mixed_precision(x, y):
    return np.float32(x * x) * y + x * np.float64(y * y)


@program(lambda rng: (1.5, 4, True))
@njit
def integers_and_bools(x, n, flag):
    s = x * n
    if flag:
        s += n / 3 * x * x
    return s + float(n) * flag


# --- branches -------------------------------------------------------------------------------------


@program(scalars(1.5), scalars(0.5), scalars(-1.5), scalars(-0.5), single=True)
@njit
def if_elif_else(x):
    if x > 1.0:
        y = x * x
    elif x > 0.0:
        y = math.sin(x)
    elif x > -1.0:
        y = math.exp(x) * x
    else:
        y = -x
    return y * x


@program(scalars(1.5, 0.3), scalars(0.2, 0.9))
@njit
def early_returns(x, y):
    if x < y:
        return x * y * y
    z = x - y
    if z > 10.0:
        return z
    return math.sqrt(z) * x


@program(scalars(1.5, 0.3), scalars(0.2, 0.9))
@njit
def conditional_expression(x, y):
    a = x * x if x > y else y * y * y
    b = x if y > 0.5 else 2.0
    return a * b + (x if x < y else y)


@program(lambda rng: (1.5, 0), lambda rng: (1.5, 1), lambda rng: (1.5, 2), lambda rng: (1.5, 7))
@njit
def match_like_switch(x, kind):
    if kind == 0:
        y = x
    elif kind == 1:
        y = x * x
    elif kind == 2:
        y = math.log(x)
    elif kind == 3:
        y = math.exp(x)
    else:
        y = 1.0 / x
    return y + x


@program(scalars(-1.3), scalars(0.0), scalars(2.0))
@njit
def guarded_domain(x):
    s = x
    if x > 0.5:
        s += math.log(x) + math.sqrt(x - 0.5)
    if x < -0.5:
        s += math.pow(-x, 1.5)
    return s


@program(scalars(1.2, 3.1), scalars(4.1, 2.0))
@njit
def minimum_maximum(x, y):
    return max(x, y) * min(x, 2.5) + min(x, y, 3.0) * max(x * y, 1.0) + abs(x - y)


@program(scalars(0.6, 0.2))
@njit
def logical_operators(x, y):
    s = 0.0
    if x > 0.5 and y < 0.5:
        s += x * y
    if x > 5.0 or not y > 1.0:
        s += math.cos(y)
    if 0.1 < x < 0.9:
        s *= x
    return s


# --- loops ----------------------------------------------------------------------------------------


@program(
    lambda rng: (1.1, 5), lambda rng: (0.9, 0), lambda rng: (1.01, 40), single=True, fd_step=1e-4
)
@njit
def repeated_multiplication(x, n):
    s = 1.0
    for _ in range(n):
        s *= x
    return s


@program(lambda rng: (0.5, 30))
@njit
def series(x, n):
    s = 0.0
    for i in range(1, n):
        s += x**i / i
    return s


@program(lambda rng: (0.7, 12))
@njit
def nested_triangular(x, n):
    s = 0.0
    for i in range(n):
        for j in range(i):
            s = math.sin(s + x * j) + x / (i + 1)
    return s


@program(lambda rng: (0.7, 3, 4, 5))
@njit
def nested_three_deep(x, a, b, c):
    s = x
    for i in range(a):
        t = s
        for j in range(b):
            for k in range(c):
                t = t * 0.9 + math.cos(t * x + i - j + k) * 0.1
        s = s * 0.5 + t
    return s


@program(lambda rng: (0.7, 10, 1, -3), lambda rng: (0.7, 1, 10, 3), lambda rng: (0.7, 5, 5, 1))
@njit
def range_with_step(x, start, stop, step):
    s = x
    for i in range(start, stop, step):
        s = math.sin(s) * x + i * 0.1
    return s


@program(lambda rng: (0.7, 9))
@njit
def negative_step(x, n):
    s = x
    for i in range(n - 1, -1, -1):
        s = s * x + 1.0 / (i + 1)
    return s


@program(lambda rng: (0.7, 9))
@njit
def fibonacci_like(x, n):
    a, b = x, 1.0
    for _ in range(n):
        a, b = b, a * 0.5 + b * x
    return a - b


@program(scalars(1.7), scalars(12.3), scalars(0.5), single=True, fd_step=1e-5)
@njit
def while_newton_square_root(a):
    x = a
    while abs(x * x - a) > 1e-5:
        x = 0.5 * (x + a / x)
    return x


@program(scalars(3.3), scalars(0.2))
@njit
def while_data_dependent(x):
    n = 0
    while x < 50.0:
        x = x * 1.7 + 0.3
        n += 1
    return x / (n + 1)


@program(scalars(0.31))
@njit
def while_true_break(x):
    s = 0.0
    i = 0
    while True:
        s += x**i
        i += 1
        if i > 20 or x**i < 1e-6:
            break
    return s


@program(scalars(0.83), scalars(0.21), fd_step=1e-5)
@njit
def break_and_continue(x):
    s = 0.0
    t = x
    for _ in range(30):
        t = 3.7 * t * (1.0 - t)
        if t < 0.3:
            continue
        s += t * x
        if s > 3.0:
            break
    return s * t


@program(scalars(0.6), scalars(0.93), fd_step=1e-5)
@njit
def return_from_loop(x):
    s = 1.0
    for i in range(50):
        s *= x
        if s < 0.1:
            return s * i
    return s + x


@program(scalars(0.6), scalars(2.0))
@njit
def loop_else(x):
    s = x
    for _ in range(6):
        s = s * x
        if s > 3.0:
            break
    else:
        s = math.sin(s)
    return s


@program(scalars(0.63))
@njit
def nested_while(x):
    s = x
    total = 0.0
    while s < 10.0:
        t = s
        while t > 0.5:
            t = t * 0.6 - 0.01
            total += t * t * x
        s = s * 1.5 + x
    return total


@program(lambda rng: (0.63, 20))
@njit
def break_out_of_inner(x, n):
    total = 0.0
    for i in range(n):
        t = x * i
        for _ in range(n):
            t = t * 0.7 + 0.1 * x
            if t < 0.5:
                break
        total += t
    return total


@program(lambda rng: (1.4, 6))
@njit
def bound_changes_in_body(x, n):
    s = 0.0
    i = 0
    while i < n:
        s = s * x + i
        n -= 1
        i += 1
    return s


@program(scalars(2.3, 0.4))
@njit
def two_exits(x, y):
    k = 0
    while k < 100:
        x = x * 0.9
        if x < 0.5:
            return x * y
        y = y * 1.1
        if y > 3.0:
            return x + y * y
        k += 1
    return x - y


@program(lambda rng: (0.9, 1.2, 7))
@njit
def branch_in_loop(a, b, n):
    s = a
    for i in range(n):
        if i % 2 == 0:
            s = s * b
        elif s > 1.0:
            s = math.log(s) + a
        else:
            s = s + a * b
    return s


@program(scalars(10.4), scalars(0.3), single=True)
@njit
def bessel_series(z):
    k = 0
    term = 1.0
    total = 1.0
    while abs(term) > 1e-8 or k < 4:
        k += 1
        term *= -(z * z) / (4.0 * k * k)
        total += term
    return total


@program(lambda rng: (0.34, 0.12), lambda rng: (-0.4, 0.9), fd_step=1e-4)
@njit
def mandelbrot_smooth(cx, cy):
    x = 0.0
    y = 0.0
    n = 0
    while x * x + y * y < 16.0 and n < 25:
        x, y = x * x - y * y + cx, 2 * x * y + cy
        n += 1
    return math.log(1.0 + x * x + y * y) + n


@program(scalars(0.5, 1.1))
@njit
def loop_invariant_and_last_value(x, y):
    last = 0.0
    for i in range(4):
        last = math.exp(x * y) * i
    return last + x


@program(lambda rng: (0.4, 4))
@njit
def match_statement(x, kind):
    s = 0.0
    for i in range(kind + 1):
        if i == 0:
            s += x
            continue
        if i == 1:
            s *= 2.0 * x
        elif i == 2:
            s = math.cos(s)
        else:
            s -= x / i
    return s
