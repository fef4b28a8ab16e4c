"""Array functions of numpy: reductions, element-wise functions, selection, linear algebra calls."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from tests.programs.cases import program


def vectors(count, size=6):
    return lambda rng: tuple(rng.standard_normal(size) for _ in range(count))


def positive(count, *shape):
    return lambda rng: tuple(rng.uniform(0.5, 1.5, shape) for _ in range(count))


def matrix(*shape):
    return lambda rng: (rng.standard_normal(shape),)


@program(vectors(1), matrix(3, 4), single=True)
@njit
def total(x):
    return x.sum() * np.sum(x * x)


@program(matrix(3, 4))
@njit
def sum_along_axes(x):
    a = x.sum(axis=0)
    b = np.sum(x * x, axis=1)
    return (a * a).sum() + b[0] * b[2]


@program(positive(1, 6), single=True)
@njit
def product(x):
    return x.prod() + np.prod(x[:3])


@program(lambda rng: (np.array([1.0, 0.0, 2.0, 3.0]),))
@njit
def product_with_zero(x):
    return x.prod()


@program(vectors(1), matrix(3, 4), single=True)
@njit
def smallest_and_largest(x):
    return x.min() * x.max() + np.max(x) ** 2 - np.min(x * 2.0)


@program(vectors(1), matrix(3, 4), single=True)
@njit
def moments(x):
    return x.mean() * x.var() + x.std() + np.mean(x * x)


@program(vectors(1), single=True)
@njit
def cumulative_sum(x):
    y = np.cumsum(x)
    z = np.cumprod(x * 0.5)
    return (y * y).sum() + z[3] * z[5]


@program(vectors(2), single=True)
@njit
def dot_by_loop(x, y):
    s = 0.0
    for i in range(len(x)):
        s += x[i] * y[i]
    return s


@program(vectors(2), single=True)
@njit
def dot_by_numpy(x, y):
    return np.dot(x, y) * (x @ x)


@program(lambda rng: (rng.standard_normal((3, 4)), rng.standard_normal(4)), single=True)
@njit
def matrix_vector_by_numpy(a, x):
    y = a @ x
    return y @ y


@program(lambda rng: (rng.standard_normal((3, 4)), rng.standard_normal((4, 2))), single=True)
@njit
def matrix_matrix_by_numpy(a, b):
    return ((a @ b) ** 2).sum()


@program(lambda rng: (rng.standard_normal((3, 3)) + 3 * np.eye(3), rng.standard_normal(3)))
@njit
def solve_by_numpy(a, b):
    x = np.linalg.solve(a, b)
    return x @ x


@program(lambda rng: (rng.standard_normal((3, 3)) + 3 * np.eye(3),))
@njit
def determinant_and_inverse(a):
    return np.linalg.det(a) + np.linalg.inv(a).sum()


@program(vectors(2))
@njit
def where(x, y):
    z = np.where(x > y, x * x, y)
    return (z * z).sum() + (np.where(x > 0.0, 1.0, y)).sum()


@program(vectors(2))
@njit
def clip_and_maximum(x, y):
    z = np.clip(x, -0.5, 0.5)
    return (z * y).sum() + np.maximum(x, y).sum() + (np.minimum(x, 0.3) * x).sum()


@program(vectors(2), single=True)
@njit
def element_wise_functions(x, y):
    z = np.sin(x) * np.cos(y) + np.exp(x) * np.tanh(y) + np.sqrt(1.0 + x * x)
    w = np.log1p(y * y) - np.arctan(x) + np.abs(y) + np.arctan2(x, y) + np.hypot(x, y)
    return (z * w).sum()


@program(positive(2, 5))
@njit
def element_wise_powers(x, y):
    return (x**y + x**2 + y**0.5 + np.square(x) + np.power(y, 3) + np.reciprocal(x)).sum()


@program(vectors(1))
@njit
def norm_by_numpy(x):
    return np.linalg.norm(x) * math.sqrt((x * x).sum())


@program(vectors(1))
@njit
def sorted_values(x):
    y = np.sort(x)
    s = 0.0
    for i in range(len(y)):
        s += y[i] * i * y[i]
    return s


@program(vectors(1))
@njit
def argsort_gather(x):
    order = np.argsort(x)
    s = 0.0
    for rank in range(len(x)):
        s += x[order[rank]] * rank
    return s


@program(vectors(1), lambda rng: (rng.standard_normal(5),))
@njit
def median(x):
    return np.median(x) ** 2


@program(vectors(1))
@njit
def diff_and_roll(x):
    return (np.diff(x) ** 2).sum() + (np.roll(x, 2) * x).sum()


@program(lambda rng: (0.5, 2.5))
@njit
def linspace(a, b):
    return (np.linspace(a, b, 6) ** 2).sum()


@program(vectors(2, 3))
@njit
def outer_and_cross(x, y):
    return (np.outer(x, y) ** 2).sum() + np.cross(x, y)[0] * x[1]


@program(lambda rng: (rng.standard_normal(4), np.array([2, 0, 2])))
@njit
def fancy_indexing(x, index):
    y = x[index]
    return (y * y).sum() + x.take(1) * 2.0


@program(vectors(1))
@njit
def boolean_indexing(x):
    y = x[x > 0.0]
    return (y * y).sum()


@program(lambda rng: (0.3, rng.uniform(0.0, 3.0, 5), np.array([0.0, 1.0, 2.0, 3.0])))
@njit
def interp_by_numpy(a, x, grid):
    values = grid * grid * a
    return np.interp(x, grid, values).sum()


@program(matrix(4, 4))
@njit
def trace_and_triangles(a):
    return np.trace(a) * np.triu(a).sum() + (np.tril(a) ** 2).sum() + np.diag(a)[2] ** 2


@program(lambda rng: (rng.standard_normal((2, 2)), rng.standard_normal((2, 3))))
@njit
def kronecker(a, b):
    return (np.kron(a, b) ** 2).sum()


@program(vectors(1, 5))
@njit
def convolve(x):
    return (np.convolve(x, np.array([0.25, 0.5, 0.25])) ** 2).sum()


@program(vectors(2, 5))
@njit
def covariance(x, y):
    return np.cov(x, y)[0, 1] + np.corrcoef(x, y)[0, 1]


@program(lambda rng: (0.8, rng.standard_normal(3)))
@njit
def complex_arithmetic(r, x):
    z = complex(r, x[0])
    w = z * z + 1.0 / z
    return w.real * w.imag + abs(z) * x[1]


@program(vectors(1, 4))
@njit
def complex_array(x):
    z = np.zeros(4, np.complex128)
    for i in range(4):
        z[i] = complex(x[i], x[3 - i] ** 2)
    s = 0.0
    for i in range(4):
        p = z[i] * z[i - 1].conjugate()
        s += p.real + p.imag * x[i]
    return s
