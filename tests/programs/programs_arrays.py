"""Arrays: ranks, layouts, views, in-place writes, temporaries."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from tests.programs.cases import program
from tests.programs.values import Held


def shaped(*shape):
    return lambda rng: (rng.standard_normal(shape),)


def fortran(*shape):
    return lambda rng: (np.asfortranarray(rng.standard_normal(shape)),)


def strided(*shape):
    """Every second element along each axis."""
    return lambda rng: (
        rng.standard_normal([2 * n for n in shape])[(slice(None, None, 2),) * len(shape)],
    )


def reversed_axes(*shape):
    return lambda rng: (rng.standard_normal(shape)[(slice(None, None, -1),) * len(shape)],)


# --- every rank, every layout ---------------------------------------------------------------------


@program(lambda rng: (np.array(1.3),), single=True)
@njit
def rank0(x):
    x[()] = x[()] * x[()] + 1.0
    return math.sin(x[()])


@program(shaped(7), strided(7), reversed_axes(7), shaped(0), shaped(1), single=True)
@njit
def rank1(x):
    s = 0.0
    for i in range(x.shape[0]):
        s += math.sin(x[i]) * x[i]
        x[i] = x[i] * s
    return s


@program(shaped(3, 4), fortran(3, 4), strided(3, 4), reversed_axes(3, 4), shaped(0, 4), single=True)
@njit
def rank2(x):
    s = 0.0
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            s = s * 0.9 + x[i, j] * x[i, j]
            x[i, j] += s
    return s


@program(shaped(2, 3, 4), fortran(2, 3, 4), strided(2, 3, 2), reversed_axes(2, 3, 2))
@njit
def rank3(x):
    s = 1.0
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            for k in range(x.shape[2]):
                s += math.tanh(x[i, j, k]) * s * 0.1
                x[i, j, k] = s
    return s


@program(shaped(2, 2, 3, 2), fortran(2, 2, 3, 2), strided(2, 2, 2, 2))
@njit
def rank4(x):
    s = 0.0
    for index in np.ndindex(x.shape):
        s += x[index] ** 2
        x[index] = x[index] * s
    return s


@program(lambda rng: (rng.standard_normal((4, 5)).T,), lambda rng: (rng.standard_normal((5, 4)),))
@njit
def transposed_argument(x):
    s = 0.0
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            s += x[i, j] * (i + 2 * j) * x[i, 0]
    return s


@program(lambda rng: (np.broadcast_to(np.array([1.5, 0.3]), (2,))[::1].copy(),))
@njit
def flat_iteration(x):
    s = 0.0
    for v in x.flat:
        s += v * v
    for v in np.nditer(x):
        s += v.item() ** 3
    return s


@program(shaped(6), single=True)
@njit
def iterate_values(x):
    s = 0.0
    for i, v in enumerate(x):
        s += v * v * i
    return s


@program(lambda rng: (rng.standard_normal(5), rng.standard_normal(5)))
@njit
def zip_two(x, y):
    s = 0.0
    for a, b in zip(x, y):
        s += a * b * b
    return s


# --- several arguments ----------------------------------------------------------------------------


@program(lambda rng: (rng.standard_normal(6), rng.standard_normal(6), 0.7), single=True)
@njit
def axpy_in_place(x, y, a):
    for i in range(len(x)):
        y[i] += a * x[i]


@program(lambda rng: (np.zeros(5), rng.standard_normal(5), 1.3))
@njit
def output_argument(out, x, a):
    for i in range(len(x)):
        out[i] = math.exp(a * x[i])


@program(lambda rng: (np.zeros(4), np.zeros((4, 2)), rng.standard_normal(4)))
@njit
def several_outputs(first, second, x):
    for i in range(4):
        first[i] = x[i] ** 2
        second[i, 0] = x[i] * x[3 - i]
        second[i, 1] = first[i] * x[i]


@program(lambda rng: (rng.standard_normal(6), Held(rng.standard_normal(6))))
@njit
def constant_array(x, weights):
    s = 0.0
    for i in range(6):
        s += weights[i] * x[i] ** 2
    return s


@program(lambda rng: (rng.standard_normal(6), Held(0.7), Held(np.ones(6))))
@njit
def constant_argument_written(x, a, scratch):
    s = 0.0
    for i in range(6):
        scratch[i] = a * i
        s += x[i] * scratch[i]
    return s


def _same(rng):
    x = rng.standard_normal(5)
    return x, x


@program(_same)
@njit
def one_array_twice(x, y):
    for i in range(4):
        x[i] = y[i + 1] * x[i]
    return y[0] * x[2]


@program(lambda rng: (rng.standard_normal(8), np.array([3, 1, 1, 7, 0])))
@njit
def gather(x, index):
    s = 0.0
    for i in range(len(index)):
        s += x[index[i]] ** 2 * (i + 1)
    return s


@program(lambda rng: (np.zeros(8), rng.standard_normal(5), np.array([3, 1, 1, 7, 3])))
@njit
def scatter_add(out, x, index):
    for i in range(len(index)):
        out[index[i]] += x[i] * x[i]


@program(lambda rng: (np.zeros(8), rng.standard_normal(5), np.array([3, 1, 1, 7, 3])))
@njit
def scatter_overwrite(out, x, index):
    for i in range(len(index)):
        out[index[i]] = x[i] * x[i]


@program(lambda rng: (rng.standard_normal(6), np.array([True, False, True, True, False, True])))
@njit
def bool_mask_in_loop(x, mask):
    s = 0.0
    for i in range(len(x)):
        if mask[i]:
            s += x[i] ** 2
            x[i] = s
    return s


@program(lambda rng: (rng.standard_normal(4), np.arange(4, dtype=np.int32), np.uint8(3)))
@njit
def small_integers(x, index, k):
    s = 0.0
    for i in index:
        s += x[i] * (i + k) * x[k]
    return s


@program(
    lambda rng: (rng.standard_normal(5), rng.standard_normal(5).astype(np.float32)),
    dot_tolerance=1e-6,
    fd_tolerance=1e-3,
    fd_step=0.03,
)
@njit
def float32_and_float64(x, y):
    s = 0.0
    for i in range(5):
        s += x[i] * y[i]
        x[i] = s
    return s


# --- views ----------------------------------------------------------------------------------------


@program(shaped(9), single=True)
@njit
def slices(x):
    a = x[1:-1]
    b = x[2:]
    c = x[::2]
    s = 0.0
    for i in range(len(b)):
        s += a[i] * b[i]
    for i in range(len(c)):
        c[i] *= 2.0
    return s + x[4] * x[3]


@program(shaped(6))
@njit
def reversed_view(x):
    y = x[::-1]
    for i in range(len(x)):
        y[i] = y[i] * x[i] + 1.0
    return y[2]


@program(shaped(4, 5), fortran(4, 5))
@njit
def rows_and_columns(x):
    s = 0.0
    for i in range(x.shape[0]):
        row = x[i]
        for j in range(len(row)):
            s += row[j] ** 2 * j
    column = x[:, 2]
    for i in range(len(column)):
        column[i] = column[i] * s
    return s


@program(shaped(4, 5))
@njit
def transposed_inside(x):
    y = x.T
    s = 0.0
    for i in range(y.shape[0]):
        for j in range(y.shape[1]):
            s += y[i, j] * y[i, 0]
    return s


@program(shaped(12), single=True)
@njit
def reshaped(x):
    y = x.reshape(3, 4)
    s = 0.0
    for i in range(3):
        for j in range(4):
            y[i, j] *= i + 1.0
            s += y[i, j] * y[(i + 1) % 3, j]
    return s


@program(shaped(3, 4))
@njit
def raveled(x):
    y = x.ravel()
    s = 1.0
    for i in range(len(y)):
        s += s * y[i] * 0.1
    return s


@program(shaped(8))
@njit
def overlapping_shift(x):
    for i in range(1, len(x)):
        x[i] = x[i] + 0.5 * x[i - 1]
    for i in range(len(x) - 2, -1, -1):
        x[i] = x[i] * x[i + 1]


@program(shaped(8))
@njit
def overlapping_slice_assignment(x):
    x[:-1] = x[1:] * 2.0
    return x[0]


@program(lambda rng: (rng.standard_normal(4), np.zeros((3, 4))))
@njit
def slice_assignment(x, out):
    out[0] = x
    out[1, :] = x * x
    out[2, 1:3] = x[:2]
    out[:, 3] = 7.0


@program(shaped(6))
@njit
def view_of_a_view(x):
    y = x[1:][::2][:2]
    y[0] = y[1] * x[0]
    y += 1.0
    return x[1] * y[1]


@program(shaped(5, 5))
@njit
def diagonal_loop(x):
    s = 1.0
    for i in range(5):
        s *= x[i, i]
        x[i, 4 - i] = s
    return s


@program(lambda rng: (rng.standard_normal(6),))
@njit
def negative_indices(x):
    s = x[-1] * x[-2]
    for i in range(1, len(x) + 1):
        s += x[-i] ** 2 * i
    x[-3] = s
    return s


# --- temporaries ----------------------------------------------------------------------------------


@program(shaped(6), single=True)
@njit
def temporary_zeros(x):
    t = np.zeros(len(x), x.dtype)
    for i in range(len(x)):
        t[i] += x[i] * x[i]
    s = 0.0
    for i in range(len(x)):
        s += math.sin(t[i])
    return s


@program(shaped(6), single=True)
@njit
def temporary_empty(x):
    t = np.empty_like(x)
    for i in range(len(x)):
        t[i] = math.exp(x[i])
    s = 0.0
    for i in range(len(x)):
        s += t[i] * t[len(x) - 1 - i]
    return s


@program(shaped(3, 4))
@njit
def temporary_2d(x):
    t = np.empty((x.shape[1], x.shape[0]))
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            t[j, i] = x[i, j] ** 2
    s = 0.0
    for j in range(x.shape[1] - 1):
        for i in range(x.shape[0]):
            s += t[j, i] * t[j + 1, i]
    return s


@program(lambda rng: (rng.standard_normal(5), 0.3))
@njit
def temporary_ones_and_full(x, a):
    t = np.ones(5)
    u = np.full(5, a)
    v = np.zeros_like(x)
    for i in range(5):
        t[i] *= x[i]
        v[i] = t[i] * u[i]
    s = 0.0
    for i in range(5):
        s += v[i] * t[i] + u[i]
    return s


@program(shaped(5))
@njit
def temporary_copy(x):
    y = x.copy()
    for i in range(5):
        x[i] = y[4 - i] * y[i]
    return y[0] * x[1]


@program(lambda rng: (rng.standard_normal(5), rng.standard_normal(5), 0.4), single=True)
@njit
def array_expressions(x, y, a):
    z = a * x + np.sin(y) * x**2
    w = z / (1.0 + y * y) - np.exp(-x)
    return (w * z).sum()


@program(
    lambda rng: (rng.standard_normal((3, 4)), rng.standard_normal(4), rng.standard_normal((3, 1)))
)
@njit
def broadcasting(x, y, z):
    t = x * y + z
    return (t * t).sum()


@program(lambda rng: (rng.standard_normal(6), 0.9, 8))
@njit
def temporary_in_loop(x, a, steps):
    s = 0.0
    for k in range(steps):
        t = np.zeros(6)
        for i in range(6):
            t[i] = x[i] * a + k
        s += t[k % 6] * t[0] * 0.1
        a = a * 0.9 + s * 0.01
    return s


@program(lambda rng: (rng.standard_normal(6), 7), lambda rng: (rng.standard_normal(6), 0))
@njit
def new_array_each_iteration(x, steps):
    y = x.copy()
    for _ in range(steps):
        z = np.empty(len(y))
        for i in range(len(y)):
            z[i] = 0.5 * y[i] + 0.3 * y[(i + 1) % len(y)] * y[i]
        y = z
    return y.sum()


@program(lambda rng: (rng.standard_normal(6), 5))
@njit
def swap_two_buffers(x, steps):
    a = x.copy()
    b = np.zeros_like(x)
    for _ in range(steps):
        for i in range(len(x)):
            b[i] = math.sin(a[i]) + a[i - 1]
        a, b = b, a
    return a[0] * a[3]


@program(lambda rng: (rng.uniform(0.5, 1.5, 4),))
@njit
def growing_arrays(x):
    y = x
    for k in range(3):
        z = np.empty(len(y) + 1)
        for i in range(len(y)):
            z[i] = y[i] * x[0]
        z[len(y)] = y[0] + k
        y = z
    return (y * y).sum()


@program(lambda rng: (rng.standard_normal(5), 2.5), lambda rng: (rng.standard_normal(5), -2.5))
@njit
def temporary_on_one_path(x, a):
    s = a
    if a > 0.0:
        t = x * a
        for i in range(5):
            s += t[i] ** 2
    else:
        s = x[0] * a
    return s


@program(lambda rng: (rng.standard_normal(5), 2.5), lambda rng: (rng.standard_normal(5), -2.5))
@njit
def one_of_two_arrays(x, a):
    if a > 0.0:
        t = x * a
    else:
        t = x
    t[1] = t[0] * t[2]
    return t[1] * a + x[1]


@program(lambda rng: (rng.standard_normal(4),))
@njit
def list_of_arrays_free(x):
    t = np.zeros((3, 4))
    for k in range(3):
        t[k] = x * (k + 1)
    s = 0.0
    for k in range(3):
        s += (t[k] * t[(k + 1) % 3]).sum()
    return s


@program(shaped(6))
@njit
def static_array(x):
    t = np.zeros(3)
    for i in range(len(x)):
        t[i % 3] = t[(i + 1) % 3] * 0.5 + x[i]
    return t[0] * t[1] * t[2]


@program(shaped(6))
@njit
def fill_and_assign(x):
    t = np.empty(6)
    t.fill(x[0])
    t[2:] = x[2:]
    t[:] = t * x[1]
    return (t * t).sum()


@program(shaped(4))
@njit
def array_literal(x):
    t = np.array([x[0], x[1] * x[2], 3.0])
    u = np.array([[x[3], 1.0], [x[0], x[3] * x[3]]])
    return t[0] * t[1] + t[2] * u[0, 0] * u[1, 1] + u[1, 0]


@program(shaped(4), fortran(3, 4))
@njit
def in_place_operators(x):
    x += 1.0
    x *= x
    x /= 2.0
    x -= 0.1 * x


@program(shaped(6))
@njit
def concatenate_and_stack(x):
    y = np.concatenate((x[:3] * 2.0, x[2:]))
    z = np.hstack((y, x))
    return (z[:6] * z[6:12]).sum()


@program(lambda rng: (rng.standard_normal(5), 1.5))
@njit
def scalar_kept_in_array(x, a):
    r = np.empty(1)
    r[0] = a
    for i in range(5):
        r[0] *= x[i]
        r[0] += a
    return r[0]


@program(lambda rng: (rng.standard_normal(3), 11))
@njit
def overwritten_many_times(x, n):
    for k in range(n):
        x[k % 3] = math.sin(x[(k + 1) % 3]) * x[k % 3]
    return x[0]


@program(shaped(4, 4))
@njit
def array_return_used(x):
    y = x + x.T
    z = np.ascontiguousarray(y[1:, :2])
    return (z * z).sum()
