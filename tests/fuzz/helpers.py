"""What stands before a program: imports, and the helpers that it uses.

A helper stands on the imports only and contains no empty line; its key matches the names that it
defines.
"""

from __future__ import annotations

from tests.fuzz.ruled_helpers import RULED

HEAD = """\
import cmath
import math
from collections import namedtuple
import numpy as np
from numba import njit, types, vectorize
from numba.experimental import jitclass
from numba.typed import Dict, List
from enzyme_rules import AugmentedReturn, augmented_primal, easy_rule, reverse
from enzymecore import Active
"""

FUNCTIONS = {
    "mix": """\
@njit
def mix(p, q):
    if p > q:
        return 0.5 * p + math.sin(q)
    return math.cos(p) * 0.4 * q
""",
    "pair": """\
@njit
def pair(p, q):
    return math.sin(p * q), 0.5 * p - 0.5 * q
""",
    "weigh": """\
@njit
def weigh(v):
    total = 0.0
    for i in range(len(v)):
        total = 0.8 * total + 0.2 * v[i] * v[i]
        if total > 0.7:
            break
    return total
""",
    "largest": """\
@njit
def largest(v):
    best = v[0]
    for i in range(1, len(v)):
        if v[i] > best:
            best = v[i]
    return best
""",
    "damp": """\
@njit
def damp(v, p):
    for i in range(len(v)):
        v[i] = math.tanh(v[i] * p + 0.1 * v[i - 1])
""",
    "fresh": """\
@njit
def fresh(v, p):
    made = np.empty_like(v)
    for i in range(len(v)):
        made[i] = 0.5 * v[i] + math.sin(p * v[len(v) - 1 - i])
    return made
""",
    "descend": """\
@njit
def descend(v, i, p):
    if i >= len(v):
        return p
    v[i] = math.sin(v[i] + 0.3 * p)
    below = descend(v, i + 1, 0.9 * p * v[i])
    return 0.5 * below + 0.5 * v[i] * p
""",
    "pour": """\
@njit
def pour(v, c):
    for i in range(len(c)):
        v[i % len(v)] = 0.5 * v[i % len(v)] + 0.5 * math.sin(c[i])
""",
    "both": """\
@njit
def both(v, c):
    for i in range(1, len(v)):
        v[i] = 0.6 * v[i] + 0.4 * math.sin(c[i - 1])
        c[i] = 0.5 * c[i] + 0.5 * v[i - 1] * v[i - 1] / (1.0 + v[i - 1] * v[i - 1])
""",
    "apply": """\
@njit
def apply(f, p, q):
    return 0.5 * f(p, q) + 0.5 * f(q, 0.3)
""",
    "ping|pong": """\
@njit
def ping(p, k):
    if k <= 0:
        return p
    return pong(math.sin(p), k - 1) * 0.9
@njit
def pong(p, k):
    if k <= 0:
        return 0.5 * p
    return ping(p * p, k - 1) + 0.1 * p
""",
    "squash": """\
@vectorize
def squash(p, q):
    if p > q:
        return math.tanh(p - q)
    return 0.3 * p * math.cos(q)
""",
    "halves": """\
@njit
def halves(p, k):
    for i in range(k):
        p = 0.5 * p + math.sin(p * i)
        yield p
        if p > 0.8:
            yield 0.5 - p
""",
    "guarded": """\
@njit
def guarded(p):
    assert p < 1e30
    if p < -1e30:
        raise ValueError("too small")
    return math.sin(p)
""",
    "maybe": """\
@njit
def maybe(p, q):
    if p > q:
        return math.sin(p * q)
    return None
""",
    "scaled": """\
@njit
def scaled(p, q=None):
    if q is None:
        return 0.5 * p
    return math.sin(p * q)
""",
}

CONTAINERS = {
    "norm": """\
@njit
def norm(q):
    return math.sin(q.u * q.u + 0.5 * q[1])
""",
    "total": """\
@njit
def total(l):
    s = 0.0
    for e in l:
        s = 0.7 * s + 0.3 * e
    return s
""",
    "pile": """\
@njit
def pile(l, p):
    l.append(math.sin(p * l[0]))
    l[0] = 0.5 * l[-1] + 0.5 * l[0]
    return l.pop()
""",
    "listed": """\
@njit
def listed(v, p):
    l = List()
    for i in range(len(v)):
        if v[i] > -0.5:
            l.append(math.sin(v[i] * p) * 1.0)
    l.append(0.5 * p)
    return l
""",
    "counted": """\
@njit
def counted(v):
    d = Dict.empty(types.int64, types.float64)
    for i in range(len(v)):
        d[i % 3] = 0.5 * d.get(i % 3, 0.1) + 0.5 * v[i]
    return d
""",
    "spread": """\
@njit
def spread(d, p):
    for k in d:
        d[k] = math.sin(d[k] * p)
    return d[0] - 0.5 * p
""",
    "fill": """\
@njit
def fill(r, p):
    for i in range(len(r)):
        r[i].a = math.sin(r[i].a + p)
        r[i].b[i] = 0.5 * p
""",
}

GLOBALS = {
    "WEIGHTS": "WEIGHTS = np.array([0.7, -0.2, 0.4, 1.1, 0.3])\n",
    "TABLE": "TABLE = np.array([[0.5, -0.4, 0.1], [0.9, 0.2, -0.6]])\n",
    "Point": 'Point = namedtuple("Point", ["u", "v"])\n',
    "ENTRY": 'ENTRY = np.dtype([("a", np.float64), ("n", np.int64), ("b", np.float64, (3,))])\n',
    "Box": """\
@jitclass([("c", types.float64), ("w", types.float64[::1])])
class Box:
    def __init__(self, c):
        self.c = c
        self.w = np.full(5, 0.2)
    def push(self, p):
        self.w[1] = math.sin(self.c * p)
        self.c = 0.5 * p + 0.5 * self.w[0]
    def read(self, p):
        return math.tanh(self.w[1] * p) + 0.2 * self.c
""",
}

HELPERS = FUNCTIONS | CONTAINERS | GLOBALS | RULED
