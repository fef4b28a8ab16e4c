"""Lists that are made, grown and emptied inside the differentiated function: numba's typed list."""

from __future__ import annotations

import math

import numpy as np
from numba import njit, typed, types

from tests.programs.cases import program


def scalar_and(n):
    return lambda r: (r.uniform(0.5, 1.5), n)


def array(n):
    return lambda r: (r.standard_normal(n),)


@program(scalar_and(5), scalar_and(0), scalar_and(2500))
@njit
def t_append(x, n):
    xs = typed.List.empty_list(types.float64)
    for i in range(n):
        xs.append(x * i)
    s = 0.0
    for v in xs:
        s += v * v
    return s / (1 + n * n * n)


@program(scalar_and(7))
@njit
def t_ops(x, n):
    xs = typed.List.empty_list(types.float64)
    for i in range(n):
        xs.append(math.sin(x * i))
    a = xs.pop()
    xs.insert(1, a * a)
    b = xs.pop(0)
    xs[2] = xs[2] * xs[-1]
    ys = xs[1:4]
    xs.extend(ys)
    xs.reverse()
    s = b
    for i in range(len(xs)):
        s += (i + 1) * xs[i]
    return s + sum(ys)


@program(array(20))
@njit
def t_stack(a):
    st = typed.List.empty_list(types.float64)
    s = 0.0
    for v in a:
        st.append(v)
        if v > 0.3 and len(st) > 2:
            s += st.pop() * st.pop()
        else:
            st[len(st) - 1] *= s + 1
    while len(st) > 0:
        s += st.pop() ** 2
    return s


@program(array(20))
@njit
def t_literal(a):
    st = typed.List([a[0], a[1] * a[2]])
    st.append(st[0] * st[1])
    return st[2] * st[0]


@program(array(20))
@njit
def t_tuples(a):
    st = typed.List()
    for i in range(10):
        st.append((a[i], a[i] * a[i + 1]))
    s = 0.0
    for p, q in st:
        s += p * q
    return s


@program(array(20))
@njit
def t_loop(a):
    s = 0.0
    for k in range(3):
        st = typed.List.empty_list(types.float64)
        for i in range(k, 10):
            st.append(a[i] * a[k] * (1 + s * 0.1))
        s += st[-1] * st[0]
    return s


@program(array(6))
@njit
def t_arrays(a):
    xs = typed.List()
    for i in range(4):
        xs.append(a * i)
    b = xs.pop(1)
    xs.insert(1, b * a[0])
    xs[0] = xs[1] * xs[2]
    xs.extend(xs)
    del xs[1:6:2]
    xs.reverse()
    ys = xs.copy()
    ys[0] = ys[0] * a
    xs[1][2] *= ys[0][1]
    s = 0.0
    for i, v in enumerate(ys):
        s += (v * v).sum() * i
    return s + xs[0][3]


@program(array(5))
@njit
def t_lists_of_lists(a):
    rows = typed.List()
    for i in range(4):
        row = typed.List()
        for j in range(i + 1):
            row.append((a * a[j], a[i]))
        rows.append(row)
    rows[0].extend(rows[2])
    del rows[3][0]
    rows[1], rows[2] = rows[2], rows[1]
    s = 0.0
    for i, row in enumerate(rows):
        for v, y in row:
            s += (i + 1) * v[0] * v[1] * y
    return s


@program(array(4))
@njit
def t_written_in_place(a):
    work = typed.List()
    for _ in range(3):
        work.append(np.zeros(len(a)))
    for sweep in range(2):
        for i in range(3):
            for j in range(len(a)):
                work[i][j] += a[j] * a[i] * (sweep + work[(i + 1) % 3][j])
    return (work[0] * work[1] + work[2]).sum()
