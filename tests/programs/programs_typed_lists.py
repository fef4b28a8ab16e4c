"""Lists that are made, grown and emptied inside the differentiated function: numba's typed list."""

from __future__ import annotations

import math

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
