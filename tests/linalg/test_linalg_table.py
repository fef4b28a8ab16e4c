"""Every factorisation, in every mode and layout, for every kind of number: against differences, and J against J^H.

Compiling takes longest, so without EXHAUSTIVE in the environment each factorisation meets one kind of number and layout
in some of the modes, and derivatives of derivatives are taken of some.
"""

from __future__ import annotations

import os

import numpy as np
import pytest
from numba import njit, typeof

from enzyme import (
    Active,
    BatchDuplicated,
    Const,
    Duplicated,
    Forward,
    Reverse,
    ReverseSplitNoPrimal,
    autodiff,
    autodiff_thunk,
)
from tests.linalg.factorisations import KINDS, ROWS, laid_out

pytestmark = pytest.mark.rotating(35)

EVERYTHING = "EXHAUSTIVE" in os.environ
LAYOUTS = "CFA"
MODES = ("batch", "split", "jitted")
FEW = {"cholesky": MODES, "eigvalsh": MODES[:1], "pinv, cut": MODES[1:2]}


RARE = ("pinv", "svd full", "norm", "cond", "matrix_power", "kron, trace", "eigvals", "qr")
# Of matrices whose eigenvectors are far from orthogonal, single precision tells little.
SINGLE = {"eig": 4e-3, "eigvals": 4e-3}
NESTED = (("cholesky", 1, 0), ("eigh", 0, 1))


def inner(x, y):
    return float((np.conj(x) * y).real.sum())


def directions(a, count):
    """Perturbations of all elements, those too that are not read."""
    rng = np.random.default_rng(7)
    layout = "C" if a.flags.c_contiguous else "F" if a.flags.f_contiguous else "A"
    for _ in range(count):
        v = rng.standard_normal(a.shape) + 1j * rng.standard_normal(a.shape)
        yield laid_out((v if a.dtype.kind == "c" else v.real).astype(a.dtype), layout)


def zeros(a):
    (v,) = directions(a, 1)
    v[...] = 0
    return v


def by_differences(f, a, h=1e-6):
    """The gradient with respect to every element of a matrix, in double precision."""
    a = a.astype(np.complex128 if a.dtype.kind == "c" else np.float64)
    found = np.zeros_like(a)
    for place in np.ndindex(a.shape):
        for step in (h, 1j * h) if a.dtype.kind == "c" else (h,):
            e = np.zeros_like(a)
            e[place] = step
            found[place] += step / h * (f(a + e) - f(a - e)) / (2 * h)
    return found


def gradient(f, a):
    da = zeros(a)
    autodiff(Reverse, f, Active, Duplicated(a, da))
    return da


def check(f, a, by, modes, single=2e-4):
    """The gradient against that by differences, and everything else against the gradient."""
    tolerance = 1e-12 if a.dtype.itemsize == (16 if a.dtype.kind == "c" else 8) else single
    before = a.copy()
    da = gradient(f, a)
    scale = 1.0 + float(np.abs(da).max())
    np.testing.assert_allclose(da, by, atol=max(2e-8, 10 * tolerance) * scale)
    u, v = directions(a, 2)
    wanted = [inner(da, x) for x in (u, v)]
    slack = tolerance * scale * 10
    (slope,) = autodiff(Forward, f, Duplicated(a, u))
    assert slope == pytest.approx(wanted[0], rel=tolerance, abs=slack)
    if "batch" in modes:
        (slopes,) = autodiff(Forward, f, BatchDuplicated(a, (u, v)))
        np.testing.assert_allclose(slopes, wanted, rtol=tolerance, atol=slack)
        lanes = zeros(a), zeros(a)
        autodiff(Reverse, f, Active, BatchDuplicated(a, lanes))
        for lane in lanes:
            np.testing.assert_allclose(lane, da, rtol=tolerance, atol=slack)
    if "split" in modes:
        ahead, back = autodiff_thunk(
            ReverseSplitNoPrimal, Const[typeof(f)], Active, Duplicated[typeof(a)]
        )
        shadow = zeros(a)
        tape = ahead(Const(f), Duplicated(a, shadow))[0]
        back(Const(f), Duplicated(a, shadow), 1.0, tape)
        np.testing.assert_allclose(shadow, da, rtol=tolerance, atol=slack)
    if "jitted" in modes:

        @njit
        def inside(x, dx):
            autodiff(Reverse, f, Active, Duplicated(x, dx))

        shadow = zeros(a)
        inside(a, shadow)
        np.testing.assert_allclose(shadow, da, rtol=tolerance, atol=slack)
    np.testing.assert_array_equal(a, before)


def cases():
    for name in ROWS:
        for j, dtype in enumerate(KINDS):
            for k, layout in enumerate(LAYOUTS):
                usual = (
                    name not in RARE
                    and j == (3 if name == "cholesky" else 1)
                    and k == (name == "pinv, cut")
                )
                if EVERYTHING or usual:
                    modes = MODES if EVERYTHING else FEW.get(name, ())
                    id = f"{name}-{np.dtype(dtype).name}-{layout}"
                    yield pytest.param(name, dtype, layout, modes, id=id)


@pytest.mark.parametrize(("name", "dtype", "layout", "modes"), list(cases()))
def test_derivatives(name, dtype, layout, modes):
    row = ROWS[name]
    for n, shape in enumerate(row.shapes):
        a = row.matrix(shape, dtype, layout)
        check(
            row.program,
            a,
            by_differences(row.program, a),
            () if n else modes,
            SINGLE.get(name, 2e-4),
        )


def backwards(f):
    @njit
    def slope(a, v):
        da = np.zeros_like(a)
        autodiff(Reverse, f, Active, Duplicated(a, da))
        total = 0.0
        for i in range(a.shape[0]):
            for j in range(a.shape[1]):
                total += (np.conj(v[i, j]) * da[i, j]).real
        return total

    return slope


def forwards(f):
    @njit
    def slope(a, v):
        return autodiff(Forward, f, Duplicated(a, v))[0]

    return slope


def nested_cases():
    for name in ROWS:
        for j, dtype in enumerate((np.float64, np.complex128)):
            for k, made in enumerate((backwards, forwards)):
                if EVERYTHING or ((name, j, k) in NESTED):
                    id = f"{name}-{np.dtype(dtype).name}-{made.__name__}"
                    yield pytest.param(name, dtype, made, id=id)


@pytest.mark.parametrize(("name", "dtype", "made"), list(nested_cases()))
def test_derivatives_of_derivatives(name, dtype, made):
    row = ROWS[name]
    slope = made(row.program)
    for shape in row.shapes:
        a = row.matrix(shape, dtype)
        v, w = directions(a, 2)
        da = np.zeros_like(a)
        autodiff(Reverse, slope, Active, Duplicated(a, da), Const(v))
        by = by_differences(lambda x: slope(x, v), a)  # noqa: B023
        scale = 1.0 + float(np.abs(da).max())
        np.testing.assert_allclose(da, by, atol=1e-7 * scale)
        (curvature,) = autodiff(Forward, slope, Duplicated(a, w), Const(v))
        assert curvature == pytest.approx(inner(da, w), rel=1e-11, abs=1e-10 * scale)
