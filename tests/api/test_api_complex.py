"""Complex numbers: functions against their analytic derivatives, in every mode."""

from __future__ import annotations

import cmath
from typing import NamedTuple

import numpy as np
import pytest
from numba import complex128, njit
from numba.experimental import jitclass
from numba.typed import List

from enzyme import (
    Active,
    ActivityError,
    BatchDuplicated,
    Const,
    Duplicated,
    DuplicatedNoNeed,
    Forward,
    Reverse,
    ReverseHolomorphic,
    ReverseHolomorphicWithPrimal,
    ReverseSplitNoPrimal,
    ReverseSplitWidth,
    ReverseSplitWithPrimal,
    Split,
    autodiff,
    autodiff_thunk,
    typeof,
)

pytestmark = pytest.mark.rotating(27)

Z = 0.7 + 0.4j

# Name: the function, and its derivative.
HOLOMORPHIC = {
    "identity": (lambda z: z, lambda z: 1.0),
    "square": (lambda z: z * z, lambda z: 2 * z),
    "cube": (lambda z: z**3, lambda z: 3 * z**2),
    "power": (lambda z: z**1.7, lambda z: 1.7 * z**0.7),
    "to itself": (lambda z: z**z, lambda z: z**z * (cmath.log(z) + 1)),
    "base": (lambda z: 2.0**z, lambda z: 2.0**z * cmath.log(2)),
    "complex power": (lambda z: z ** (1 + 2j), lambda z: (1 + 2j) * z**2j),
    "inverse": (lambda z: 1 / z, lambda z: -1 / z**2),
    "quotient": (
        lambda z: (z + 1) / (z * z + 2j),
        lambda z: (2j - 2 * z - z**2) / (z**2 + 2j) ** 2,
    ),
    "difference": (lambda z: (3 - 2j) * z - z * 1j, lambda z: 3 - 3j),
    "polynomial": (
        lambda z: ((2 * z - 1j) * z + 3) * z - 7,
        lambda z: 6 * z**2 - 2j * z + 3,
    ),
    "negative": (lambda z: -z, lambda z: -1.0),
    "cmath.exp": (lambda z: cmath.exp(z), lambda z: cmath.exp(z)),
    "cmath.log": (lambda z: cmath.log(z), lambda z: 1 / z),
    "cmath.log10": (lambda z: cmath.log10(z), lambda z: 1 / (z * cmath.log(10))),
    "cmath.sqrt": (lambda z: cmath.sqrt(z), lambda z: 0.5 / cmath.sqrt(z)),
    "cmath.sin": (lambda z: cmath.sin(z), lambda z: cmath.cos(z)),
    "cmath.cos": (lambda z: cmath.cos(z), lambda z: -cmath.sin(z)),
    "cmath.tan": (lambda z: cmath.tan(z), lambda z: 1 / cmath.cos(z) ** 2),
    "cmath.sinh": (lambda z: cmath.sinh(z), lambda z: cmath.cosh(z)),
    "cmath.cosh": (lambda z: cmath.cosh(z), lambda z: cmath.sinh(z)),
    "cmath.tanh": (lambda z: cmath.tanh(z), lambda z: 1 / cmath.cosh(z) ** 2),
    "cmath.asin": (lambda z: cmath.asin(z), lambda z: 1 / cmath.sqrt(1 - z * z)),
    "cmath.acos": (lambda z: cmath.acos(z), lambda z: -1 / cmath.sqrt(1 - z * z)),
    "cmath.atan": (lambda z: cmath.atan(z), lambda z: 1 / (1 + z * z)),
    "cmath.asinh": (lambda z: cmath.asinh(z), lambda z: 1 / cmath.sqrt(1 + z * z)),
    "cmath.acosh": (
        lambda z: cmath.acosh(z),
        lambda z: 1 / (cmath.sqrt(z - 1) * cmath.sqrt(z + 1)),
    ),
    "cmath.atanh": (lambda z: cmath.atanh(z), lambda z: 1 / (1 - z * z)),
    "np.exp": (lambda z: np.exp(z), lambda z: cmath.exp(z)),
    "np.log": (lambda z: np.log(z), lambda z: 1 / z),
    "np.log1p": (lambda z: np.log1p(z), lambda z: 1 / (1 + z)),
    "np.expm1": (lambda z: np.expm1(z), lambda z: cmath.exp(z)),
    "np.sqrt": (lambda z: np.sqrt(z), lambda z: 0.5 / cmath.sqrt(z)),
    "np.sin": (lambda z: np.sin(z), lambda z: cmath.cos(z)),
    "np.tanh": (lambda z: np.tanh(z), lambda z: 1 / cmath.cosh(z) ** 2),
    "np.square": (lambda z: np.square(z), lambda z: 2 * z),
    "np.reciprocal": (lambda z: np.reciprocal(z), lambda z: -1 / z**2),
    "composition": (
        lambda z: cmath.exp(cmath.sin(z) / z),
        lambda z: cmath.exp(cmath.sin(z) / z) * (cmath.cos(z) / z - cmath.sin(z) / z**2),
    ),
    "of its parts": (
        lambda z: complex(z.real * z.real - z.imag * z.imag, 2 * z.real * z.imag),
        lambda z: 2 * z,
    ),
    "twice conjugate": (lambda z: np.conj(np.conj(z) * np.conj(z)), lambda z: 2 * z),
}

# Name: the function u, and u_x + i u_y.
REAL = {
    "real": (lambda z: z.real, lambda z: 1.0),
    "imag": (lambda z: z.imag, lambda z: 1j),
    "real of square": (lambda z: (z * z).real, lambda z: 2 * z.conjugate()),
    "imag of square": (lambda z: (z * z).imag, lambda z: 2j * z.conjugate()),
    "abs": (lambda z: abs(z), lambda z: z / abs(z)),
    "np.abs": (lambda z: np.abs(z), lambda z: z / abs(z)),
    "abs2": (lambda z: z.real**2 + z.imag**2, lambda z: 2 * z),
    "times conjugate": (lambda z: (z * z.conjugate()).real, lambda z: 2 * z),
    "phase": (lambda z: cmath.phase(z), lambda z: 1j * z / abs(z) ** 2),
    "np.angle": (lambda z: np.angle(z), lambda z: 1j * z / abs(z) ** 2),
    "slanted": (lambda z: ((z + 1j) * (1 - 1j * z)).real, lambda z: (2 - 2j * z).conjugate()),
    "real of exp": (lambda z: cmath.exp(z).real, lambda z: cmath.exp(z).conjugate()),
    "imag of log": (lambda z: cmath.log(z).imag, lambda z: 1j / z.conjugate()),
    "polar": (lambda z: cmath.polar(z)[0] ** 2, lambda z: 2 * z),
}


@pytest.mark.parametrize("name", HOLOMORPHIC)
def test_holomorphic_functions(name):
    f, derivative = HOLOMORPHIC[name]
    expected = complex(derivative(Z))

    def close(found):
        assert abs(found - expected) <= 1e-13 * max(1.0, abs(expected))

    primal, tangent = autodiff(Forward, f, Duplicated, Duplicated(Z, 1.0 + 0j))
    assert abs(primal - f(Z)) <= 1e-14 * abs(primal)
    close(tangent)
    (tangents,) = autodiff(Forward, f, BatchDuplicated(Z, (1j, 2.0 + 0j)))
    close(tangents[0] / 1j)
    close(tangents[1] / 2)
    ((found,),) = autodiff(ReverseHolomorphic, f, Active(Z))
    assert type(found) is complex
    close(found)
    mode = ReverseSplitWidth(ReverseSplitWithPrimal, 2)
    forward, reverse = autodiff_thunk(mode, Const[typeof(f)], Active, Active[complex])
    tape, _, _ = forward(Const(f), Active(Z))
    (((of_real, of_imaginary),),) = reverse(Const(f), Active(Z), (1.0 + 0j, 1j), tape)
    close(of_real.conjugate())
    close(1j * of_imaginary.conjugate())


@pytest.mark.parametrize("name", REAL)
def test_real_functions(name):
    f, gradient = REAL[name]
    expected = gradient(Z)
    for mode in (Reverse, ReverseHolomorphic):
        ((found,),) = autodiff(mode, f, Active, Active(Z))
        assert abs(found - expected) <= 1e-14 * max(1.0, abs(expected))
    (tangents,) = autodiff(Forward, f, BatchDuplicated(Z, (1.0 + 0j, 1j)))
    assert abs(complex(*tangents) - expected) <= 1e-14 * max(1.0, abs(expected))


# --- arrays ---------------------------------------------------------------------------------------


def total(v):
    return v.sum()


def squares(v):
    return (v * v).sum()


def products(v):
    return (v * np.conj(v)).sum()


def lengths(v):
    return (v.real**2 + v.imag**2).sum()


def transformed(v):
    s = 0j
    for k in range(len(v)):
        for m in range(len(v)):
            s += v[m] * cmath.exp(-2j * cmath.pi * k * m / len(v)) * (k + 1)
    return s


@pytest.mark.parametrize(
    ("f", "derivative"),
    [
        (total, lambda v: v * 0 + 1),
        (squares, lambda v: 2 * v),
        (products, np.conj),
        (lengths, lambda v: 2 * v),
        (lambda v: complex(lengths_of(v)), np.conj),
        (lambda v: (v * np.conj(v)).sum().real, lambda v: 2 * v),
        (lambda v: np.exp(v).sum() + v[0] * v[1], lambda v: np.exp(v) + v[::-1]),
        (transformed, None),
        (lambda v: np.dot(v, v), lambda v: 2 * v),
    ],
)
@pytest.mark.parametrize("dtype", [np.complex128, np.complex64])
def test_arrays(f, derivative, dtype):
    v = np.array([3.4 + 2.7j, 0.3 - 0.2j], dtype)
    expected = np.array([3.0, -1.0]) if derivative is None else derivative(v)
    dv = np.zeros_like(v)
    assert autodiff(ReverseHolomorphic, f, Duplicated(v, dv)) == ((None,),)
    assert dv.dtype == dtype
    np.testing.assert_allclose(dv, expected, rtol=1e-13 if dtype is np.complex128 else 2e-6)
    autodiff(ReverseHolomorphic, f, Duplicated(v, dv))
    np.testing.assert_allclose(dv, 2 * expected, rtol=1e-13 if dtype is np.complex128 else 2e-6)


@njit
def lengths_of(v):
    return (v.real**2 + v.imag**2).sum()


def double(v):
    v[0] *= 2


def double_and_return(v):
    v[0] *= 2
    return v[0]


@pytest.mark.parametrize(
    ("f", "wanted", "expected"),
    [
        (double, (), 0.0),
        (double, (Const,), 0.0),
        (double, (Active,), 0.0),
        (double_and_return, (Active,), 2.0),
        (double_and_return, (), 2.0),
        (double_and_return, (Const,), 0.0),
    ],
)
def test_overwritten(f, wanted, expected):
    v, dv = np.array([3.4 + 2.7j]), np.zeros(1, complex)
    autodiff(ReverseHolomorphic, f, *wanted, Duplicated(v, dv))
    assert v[0] == 6.8 + 5.4j and dv[0] == expected


def test_seeds_in_outputs_stay_theirs():
    """What the caller put into a shadow is propagated as in any reverse mode; the result's share is added."""

    def f(out, z):
        out[0] = z * z
        return z * 3.0

    out, dout = np.zeros(1, complex), np.array([1.0 + 0j])
    ((_, dz),) = autodiff(ReverseHolomorphic, f, Duplicated(out, dout), Active(Z))
    np.testing.assert_allclose(dz, 3.0 + 2 * Z.conjugate(), rtol=1e-15)
    assert dout[0] == 0.0


def test_real_arguments():
    def f(x, z, n):
        return (x + 0j) ** 2 * z * n

    ((dx, dz, _),) = autodiff(ReverseHolomorphic, f, Active(3.1), Active(1.0 + 0j), Const(1))
    assert dx == pytest.approx(6.2) and type(dx) is float
    assert dz == pytest.approx(3.1**2)
    x, dx = np.array([3.1]), np.zeros(1)
    autodiff(ReverseHolomorphic, lambda x: (x[0] + 0j) ** 2, Duplicated(x, dx))
    assert dx[0] == pytest.approx(6.2)


class Pair(NamedTuple):
    z: complex
    n: int
    x: float


@jitclass([("z", complex128), ("w", complex128[::1])])
class Cell:
    def __init__(self, z, w):
        self.z = z
        self.w = w


def test_structures():
    def f(p):
        return p.z * p.z * 3.0 + p.x * p.x

    ((found,),) = autodiff(ReverseHolomorphic, f, Active(Pair(Z, 2, 3.0)))
    assert isinstance(found, Pair) and found.n == 0 and type(found.x) is float
    np.testing.assert_allclose([found.z, found.x], [6 * Z, 6.0], rtol=1e-14)

    items, shadow = List([Z, 2j]), List([0j, 0j])
    autodiff(ReverseHolomorphic, lambda v: v[0] * v[0] * v[1], Duplicated(items, shadow))
    np.testing.assert_allclose(list(shadow), [4j * Z, Z * Z], rtol=1e-14)

    cell = Cell(Z, np.array([2j]))
    shadow = Cell(0j, np.zeros(1, complex))
    autodiff(ReverseHolomorphic, lambda c: c.z * c.z * c.w[0], Duplicated(cell, shadow))
    np.testing.assert_allclose([shadow.z, shadow.w[0]], [4j * Z, Z * Z], rtol=1e-14)

    v = np.array([Z, 2j])
    both = np.zeros(2, complex), np.zeros(2, complex)
    autodiff(ReverseHolomorphic, lambda t: t[0][0] * t[1][1], Duplicated((v, v.copy()), both))
    np.testing.assert_allclose(both, [[2j, 0], [0, Z]], rtol=1e-14)


def test_primal_and_return_class():
    found = autodiff(ReverseHolomorphicWithPrimal, lambda z: 2 * z, Active, Active(1 + 1j))
    assert found == ((2 + 0j,), 2 + 2j)
    found = autodiff(ReverseHolomorphicWithPrimal, lambda z: 2 * z, Const, Active(1 + 1j))
    assert found == ((0j,), 2 + 2j)


def test_single_precision():
    z = np.complex64(Z)
    ((found,),) = autodiff(ReverseHolomorphic, cmath.exp, Active(z))
    assert type(found) is np.complex64
    assert found == pytest.approx(cmath.exp(Z), rel=1e-6)
    ((found,),) = autodiff(Reverse, lambda z: abs(z), Active(z))
    assert type(found) is np.complex64
    (found,) = autodiff(Forward, cmath.exp, DuplicatedNoNeed, Duplicated(z, np.complex64(1)))
    assert type(found) is np.complex64


def test_wirtinger_derivatives_from_two_seeds():
    """Of z times its conjugate, which is not holomorphic."""

    def f(z):
        return z * z.conjugate()

    z = 3.1 + 2.7j
    ((dx, dy),) = autodiff(Forward, f, BatchDuplicated(z, (1.0 + 0j, 1j)))
    np.testing.assert_allclose([(dx - 1j * dy) / 2, (dx + 1j * dy) / 2], [z.conjugate(), z])
    mode = ReverseSplitWidth(Split(Reverse), 2)
    forward, reverse = autodiff_thunk(mode, Const[typeof(f)], Active, Active[complex])
    tape, _, _ = forward(Const(f), Active(z))
    (((gu, gv),),) = reverse(Const(f), Active(z), (1.0 + 0j, 1j), tape)
    one = (gu.conjugate() + 1j * gv.conjugate()) / 2
    np.testing.assert_allclose([one, (gu + 1j * gv) / 2], [z.conjugate(), z])


def test_ambiguous():
    with pytest.raises(ActivityError, match="ambiguous"):
        autodiff(Reverse, lambda z: z * z, Active(Z))


def test_arrays_that_share_memory():
    @njit
    def f(a, b):
        a[0] = a[0] * b[1]
        return a[0] * b[0]

    v, dv = np.array([Z, 2j]), np.zeros(2, complex)
    autodiff(ReverseHolomorphic, f, Duplicated(v, dv), Duplicated(v, dv))
    np.testing.assert_allclose(dv, [2 * Z * (2j) ** 2, 2 * Z**2 * 2j], rtol=1e-13)


def test_split_of_an_array():
    def f(v):
        return v * v

    v = np.array([Z])
    forward, reverse = autodiff_thunk(
        ReverseSplitNoPrimal, Const[typeof(f)], DuplicatedNoNeed, Duplicated[typeof(v)]
    )
    given = Duplicated(v, np.zeros(1, complex))
    tape, _, shadow = forward(Const(f), given)
    shadow[0] = 1j
    reverse(Const(f), given, tape)
    np.testing.assert_allclose(given.dval, [1j * (2 * Z).conjugate()], rtol=1e-15)
