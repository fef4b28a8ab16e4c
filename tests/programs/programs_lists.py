"""Lists that are made, grown and emptied inside the differentiated function."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from tests.programs.cases import program


def scalar(r):
    return (r.uniform(0.5, 1.5),)


def scalar_and(n):
    return lambda r: (r.uniform(0.5, 1.5), n)


def array(n):
    return lambda r: (r.standard_normal(n),)


@program(scalar_and(5), scalar_and(0), scalar_and(2500))
@njit
def append(x, n):
    xs = []
    for i in range(n):
        xs.append(x * i)
    s = 0.0
    for v in xs:
        s += v * v
    return s / (1 + n * n * n)


@program(scalar_and(7))
@njit
def comp(x, n):
    return sum([math.sin(x * i) for i in range(n)])


@program(scalar)
@njit
def literal(x):
    xs = [x, 2 * x]
    xs.append(x * x)
    return xs[0] * xs[1] * xs[2]


@program(scalar_and(6))
@njit
def setitem(x, n):
    xs = [x * i for i in range(n)]
    for i in range(n):
        xs[i] = xs[i] * xs[i - 1] + x
    return xs[n - 1] + xs[0]


@program(scalar_and(6))
@njit
def pop(x, n):
    xs = [math.sin(x * i) for i in range(n)]
    s = 0.0
    while len(xs) > 0:
        a = xs.pop()
        s += a * a * len(xs)
        if len(xs) > 2:
            xs[0] *= a
    return s


@program(scalar_and(5))
@njit
def extend(x, n):
    xs = [x * i for i in range(n)]
    ys = [x * x, math.sin(x)]
    xs.extend(ys)
    ys.extend(xs)
    return sum(xs) * ys[3]


@program(scalar_and(5))
@njit
def insert(x, n):
    xs = [x]
    for i in range(n):
        xs.insert(1, xs[0] * xs[-1] + i * x)
    s = 0.0
    for i, v in enumerate(xs):
        s += (i + 1) * v
    return s


@program(scalar_and(8))
@njit
def slices(x, n):
    xs = [math.cos(x * i) for i in range(n)]
    ys = xs[2:5]
    zs = xs[::2]
    xs[1:3] = [x, x * x, x * x * x]
    return sum(ys) * sum(zs) + xs[2] * xs[3] + len(ys)


@program(scalar_and(4))
@njit
def to_array(x, n):
    xs = [math.exp(x * i / 4) for i in range(n)]
    a = np.array(xs)
    return (a * a).sum()


@program(scalar_and(5))
@njit
def tuples(x, n):
    xs = []
    for i in range(n):
        xs.append((x * i, math.sin(x + i)))
    s = 0.0
    for a, b in xs:
        s += a * b
    return s


@program(scalar_and(5), scalar_and(40))
@njit
def mixed_tuples(x, n):
    xs = []
    for i in range(n):
        xs.append((x * i, i, math.sin(x + i)))
    s = 0.0
    for a, k, b in xs:
        s += a * b * k
    xs.insert(1, (x, 2, x))
    return s / n / n + xs[2][0] * xs[1][2]


@program(array(7))
@njit
def sorting(a):
    xs = sorted([v * v for v in a])
    s = 0.0
    for i, v in enumerate(xs):
        s += i * v
    return s


@program(array(7))
@njit
def sort_inplace(a):
    xs = [v for v in a]
    xs.sort()
    s = 0.0
    for i, v in enumerate(xs):
        s += i * v * v
    return s


@program(scalar_and(6))
@njit
def lists_in_loop(x, n):
    s = 0.0
    y = x
    for i in range(n):
        xs = []
        for j in range(i + 1):
            xs.append(y * (j + 1))
        y = y + 0.1 * math.sin(xs[-1])
        s += sum(xs) * y
    return s


@njit
def _rec(xs, x, n):
    if n > 0:
        xs.append(x * xs[-1] + n)
        _rec(xs, x, n - 1)
        xs[0] += xs[-1] * 0.1


@program(scalar_and(12))
@njit
def callee(x, n):
    xs = [x]
    _rec(xs, x * 0.3, n)
    s = 0.0
    for v in xs:
        s += v * v
    return s


@program(scalar_and(6))
@njit
def empty(x, n):
    xs = [0.0 for i in range(0)]
    if n > 100:
        xs.append(x)
    return len(xs) + x * x


@program(array(30))
@njit
def branches(a):
    xs = [1.0]
    for v in a:
        if v > 0.5:
            xs.append(v * xs[-1])
        elif v > 0:
            xs.append(v)
        elif len(xs) > 1 and v < -0.5:
            xs.pop()
        else:
            xs[-1] *= v
    return sum(xs)


@program(scalar_and(5))
@njit
def cplx(x, n):
    xs = []
    for i in range(n):
        xs.append(complex(x * i, x * x))
    s = 0j
    for v in xs:
        s += v * v
    return s.real + s.imag


@program(array(6), dot_tolerance=1e-5, fd_step=0.05, fd_tolerance=1e-4)
@njit
def single_precision_items(a):
    xs = [np.float32(1.0)]
    for v in a:
        xs.append(np.float32(v))
    s = np.float32(0)
    for v in xs:
        s += v * v
    return float(s)


@program(scalar_and(5))
@njit
def filtered(x, n):
    return sum([i if i > 2 else 0.0 for i in (x, 2 * x, 3 * x, 4 * x)])


@program(scalar_and(5))
@njit
def misc(x, n):
    xs = [x * i for i in range(n)]
    xs.reverse()
    ys = xs.copy()
    ys += [x]
    zs = xs + ys
    ws = [x, 2 * x] * 3
    del zs[0]
    zs.pop(2)
    return zs[1] * ws[3] + sum(zs) + min(ws) * max(zs)


@program(array(6))
@njit
def list_of_arrays(a):
    xs = []
    for i in range(3):
        xs.append(a * (i + 1.0))
    s = 0.0
    for v in xs:
        s += (v * v).sum()
    return s


@program(array(6))
@njit
def arrays_many(a):
    xs = [a]
    for _ in range(20):
        xs.append(xs[-1] * 0.9 + np.sin(xs[0]))
    xs.pop()
    t = xs[3]
    xs.insert(2, t)
    xs[2] = t * xs[4]
    s = 0.0
    for v in xs:
        s += v[0] * v[-1]
    return s + t.sum()


@program(array(6))
@njit
def arrays_out(a):
    xs = [np.empty(3) for i in range(4)]
    for i in range(4):
        xs[i][:] = a[:3] * a[3:] * i
    a[0] = xs[3][1]
    return xs[2].sum()


@program(array(6))
@njit
def stack_machine(a):
    st = []
    for v in a:
        st.append(v)
        if len(st) >= 2:
            p = st.pop()
            q = st.pop()
            st.append(p * q + p)
    return st[0]


@program(array(40))
@njit
def deque_like(a):
    q = [a[0]]
    s = 0.0
    k = 0
    while len(q) > 0 and k < 30:
        v = q.pop(0)
        s += v * v
        k += 1
        q.append(math.sin(v) + a[k])
        if k % 3 == 0:
            q.append(v * a[k])
        if k % 2 == 0 and len(q) > 2:
            q.pop()
    return s


@program(array(9))
@njit
def list_of_lists(a):
    xs = [[v, v * v] for v in a]
    xs[0].append(a[1])
    s = 0.0
    for r in xs:
        for v in r:
            s += v * a[0]
    return s


@program(array(9))
@njit
def clear_refill(a):
    xs = [0.0]
    s = 0.0
    for k in range(4):
        xs.clear()
        for v in a:
            xs.append(v * (k + 1) * (1 + s * 0.01))
        s += sum(xs) * xs[k]
    return s
