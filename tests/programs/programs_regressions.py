"""Small programs that once failed, named after the symptom; most came from the random programs."""

from __future__ import annotations

import math

import numpy as np
from numba import float64, njit
from numba.experimental import jitclass
from numba.typed import List

from tests.programs.cases import program


def vector(size):
    return lambda rng: (rng.uniform(0.5, 1.5, size),)


# --- heap corrupted: numba copies a source that may overlap its target, and frees it on one path ---


@program(vector(4))
@njit
def overlapping_copy_corrupted_the_heap(x):
    x[1:] = x[:-1]
    return x[2]


@program(lambda rng: (rng.standard_normal(2), np.ones(3)))
@njit
def update_of_a_slice_corrupted_the_heap(x, f):
    f[1:] += x


@program(lambda rng: (rng.standard_normal(2), 3))
@njit
def update_of_a_row_corrupted_the_heap(x, n):
    t = np.zeros((4, 2))
    for i in range(n):
        t[i] += x * i
    return (t * t).sum()


@program(lambda rng: (0.7,))
@njit
def grown_list_corrupted_the_heap(x):
    v = [x, x * x]
    v.append(math.sin(x))
    return v[0] * v[1] + v[2]


@program(lambda rng: (0.7,))
@njit
def comprehension_corrupted_the_heap(x):
    v = [x * 0.5 for _ in range(3)]
    return v[0] * v[1]


@program(vector(3))
@njit
def list_of_arrays_corrupted_the_heap(x):
    parts = [x * 1.0]
    parts.append(parts[0] * x[0])
    return parts[1].sum()


# --- wrong: the derivative was silently 0 -----------------------------------------------------------


@program(lambda rng: (rng.standard_normal(4), rng.standard_normal(4)))
@njit
def dot_had_no_derivative(x, y):
    return np.dot(x, y)


@program(lambda rng: (rng.standard_normal((3, 4)), rng.standard_normal(4)))
@njit
def matrix_product_had_no_derivative(a, x):
    return (a @ x)[1]


@njit
def _swap_bits(x, scratch, n):
    if n > 0:
        scratch.view(np.int64)[0] = x.view(np.int64)[n]
        x.view(np.int64)[n] = x.view(np.int64)[0]
        _swap_bits(x, scratch, n - 1)


@program(vector(3))
@njit
def bits_that_a_callee_moves_had_no_tangent(x):
    y, scratch = x * x, np.zeros(1)
    _swap_bits(y, scratch, 2)
    return scratch[0] * y[1] + y[2]


# --- refused ----------------------------------------------------------------------------------------


@njit
def _tree(x, low, high):
    if high - low == 1:
        return math.sin(x[low])
    middle = (low + high) // 2
    return _tree(x, low, middle) * _tree(x, middle, high)


@program(vector(5))
@njit
def recursion_was_an_unknown_function(x):
    return _tree(x, 0, len(x))


@program(vector(6))
@njit
def maximum_was_an_unknown_function(x):
    return x.max() * x[0]


@program(lambda rng: (rng.standard_normal((3, 3)),))
@njit
def two_triangles_were_constant_memory(a):
    return np.triu(a).sum() + np.tril(a).sum()


@program(lambda rng: (rng.standard_normal((4, 4)),))
@njit
def augmented_callees_were_not_in_the_call_graph(x):
    s = np.diag(x).sum() * np.trace(x)
    return s + np.tril(x)[2, 1] * np.triu(x)[1, 2]


@njit
def _append_copies(a, items, n):
    if n <= 0:
        return a
    items.append(items[-1].copy())
    return _append_copies(a * items[-1][0], items, n - 1)


@program(lambda rng: (rng.uniform(0.5, 1.5, 5), 0.7))
@njit
def list_that_a_callee_grows_had_bytes_of_two_types(x, a):
    items = [x * 1.0, x * x]
    return _append_copies(a, items, 3) * items[4][1]


# --- internal errors --------------------------------------------------------------------------------


@program(lambda rng: (1.5, 4))
@njit
def selected_integers_did_not_dominate(x, n):
    return 0.1 * n if math.sin(x) < 0.5 else math.sin(0.1 * n)


@program(lambda rng: (1.5, 4, True), lambda rng: (1.5, 4, False))
@njit
def product_on_one_path_did_not_dominate(x, n, flag):
    s = x * n
    if flag:
        s += n / 3 * x
    return s


@program(lambda rng: (1.5, 4, True), lambda rng: (1.5, 4, False))
@njit
def returned_on_one_path_did_not_dominate(x, n, flag):
    s = x * n
    if flag:
        return n / 3 * x
    return s


# --- leaks ------------------------------------------------------------------------------------------


@program(lambda rng: (rng.standard_normal(4), 1.3))
@njit
def returned_array_leaked(x, a):
    return x * a


# --- objects of earlier iterations -----------------------------------------------------------------


def carried(r):
    return r.uniform(0.5, 1.5, 4), r.uniform(0.5, 1.5, (4, 4)), 5


@program(carried)
@njit
def new_array_each_iteration(x, a, steps):
    for _ in range(steps):
        y = np.zeros(len(x))
        for i in range(len(x)):
            for j in range(len(x)):
                y[i] += a[i, j] * x[j]
        x = y / np.sqrt((y * y).sum())
    return x[0] * x[1] + x[2]


@program(carried)
@njit
def new_array_and_the_old_one_changed(x, a, steps):
    """The array of the iteration before is written after it was read."""
    for k in range(steps):
        y = np.empty(len(x))
        for i in range(len(x)):
            y[i] = x[i] * x[i - 1] * a[i, k % 4]
        x[k % 4] *= 0.5
        y[0] += x[k % 4] * x[k % 4]
        x = y
    return (x * x).sum()


@program(carried)
@njit
def two_arrays_back(x, a, steps):
    before = a[0].copy()
    for k in range(steps):
        y = np.empty(len(x))
        for i in range(len(x)):
            y[i] = 0.5 * x[i] * before[i] + 0.3 * a[i, 0]
        if k % 2 == 0:
            y[1] *= before[2] * x[0]
            before[0] = y[1] * y[2]
        before = x
        x = y
        for i in range(len(x)):
            y[i] = x[i] * x[i] * 0.3
    return (x * before).sum()


@program(carried)
@njit
def same_array_twice_in_an_inner_loop(x, a, steps):
    total = 0.0
    for k in range(steps):
        y = x.copy()
        for _ in range(3):
            z = y
            for i in range(len(z)):
                total += z[i] * a[i, k % 4] * y[i]
                y[i] = y[i] * z[i - 1] * 0.7
        x = y
    return total


@program(lambda r: (r.uniform(0.5, 1.5, 4), 0.7))
@njit
def constant_item_of_a_reversed_list(x, a):
    """LLVM stores a constant float as an integer; nothing of it may get into the shadow of the list."""
    items = List()
    for i in range(len(x)):
        items.append(math.sin(x[i]))
    items.append(0.5)
    items.reverse()
    x[0] = a * items[1]


@program(lambda r: (r.uniform(0.5, 1.5, 5), r.uniform(0.5, 1.5)))
@njit
def complex_division_in_a_loop(x, t):
    """LLVM divides before the loop, also by the zero of the way that is not taken."""
    s = 0j
    for i in range(1, 5):
        s += x[i] * (0.1 + 0.5j) / (1.5 + (t + 0.2j) * (t + 0.2j).conjugate())
    return s.real + 2.0 * s.imag


@program(lambda r: (r.uniform(0.5, 1.5, 4), r.uniform(0.5, 1.5)))
@njit
def zeros_of_a_small_array(x, a):
    """The small array moves to the stack; what fills it must not be a tail call any more."""
    k = np.zeros(12)
    w = np.ones(len(x))
    s = k[2] + a + w[0]
    for i in range(len(x)):
        k[4 * (i % 3)] = 0.5 * s
        s += k[0] * x[i]
    return s


@program(lambda r: (r.uniform(0.5, 1.5, 4), r.uniform(0.5, 1.5)))
@njit
def zeros_of_a_small_matrix_kept(x, a):
    k = np.zeros((3, 5))
    w = x.copy()
    s = math.sin(a + k[1, 2])
    for i in range(len(x)):
        k[i % 3, 1] = s
        s = math.sin(s + k[0, 1]) * w[i]
        x[i] *= s
    return k[0, 1] + k[2, 1] + k[1, 0]


@program(vector(4))
@njit
def arrays_of_other_owners_appended(x):
    """`np.append` is a call; the copy has no parent."""
    w = x.copy()
    for _ in range(3):
        w[0] += np.append(x, x)[1]
        x[2] *= np.append(w, x)[0]
        x[1] += np.append(w, w)[3]
    return x.sum()


@njit
def kept_with(v, other, k):
    held = [v, v]
    for i in range(k):
        held.append(other)
        held[i][0] += 0.1 * other[1]
    return held[k]


@program(vector(4))
@njit
def arrays_of_other_owners_in_one_list(x):
    w = x.copy()
    s = 0.0
    for _ in range(2):
        s += kept_with(x, x, 2)[0] * kept_with(w, x, 1)[0]
        s += kept_with(x, w, 3)[0] * kept_with(w, w, 1)[0]
    return s


@jitclass([("c", float64), ("w", float64[::1])])
class Box:
    """A number and an array beside it."""

    def __init__(self, c):
        self.c = c
        self.w = np.full(5, 0.2)


@program(lambda r: (r.uniform(0.5, 1.5, 4), 0.7, 3))
@njit
def item_of_an_array_or_number_of_an_object(x, a, n):
    """LLVM reads from a chosen address; what else stands in the object is no number."""
    box = Box(a)
    t = 0.0
    for i in range(n):
        box.w[1:3] = 0.5 * x[i]
        t += 0.3 / (1.0 + (box.c if box.w[1] > box.w[n] else x[0]) ** 2)
        box.c *= t
    return t


@program(lambda r: (r.uniform(0.5, 1.5, 4), 0.7, 3))
@njit
def stored_in_an_array_or_in_an_object(x, a, n):
    box = Box(a)
    for i in range(n):
        if x[i] > a:
            x[0] = box.w[i] * x[i]
        else:
            box.c = box.w[i] * x[i]
        box.w[i + 1] += box.c * (x[0] if box.c > a else box.c)
    return box.c + box.w.sum()


# --- of an index that is scaled, LLVM adds 2**61 - 1 for -1: the next row was taken for another one ---


@program(lambda rng: (rng.uniform(0.5, 1.5, 4), rng.uniform(0.5, 1.5)))
@njit
def rows_overwritten_one_iteration_later(u, a):
    w = np.zeros((4, u.size))
    w[0] = u
    for t in range(1, 4):
        w[t] = w[t - 1] * a
        w[t - 1] = w[t] ** 3
    return w.sum()


@program(lambda rng: (rng.uniform(0.5, 1.5, (6, 3)), rng.uniform(0.5, 1.5)))
@njit
def rows_of_an_argument_overwritten_downwards(w, a):
    for t in range(4, 0, -1):
        w[t] = w[t - 1] * a
        w[t + 1] = np.sin(w[t + 1]) * w[t - 1]
    return (w * w).sum()
