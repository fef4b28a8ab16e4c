"""`numpy.roll`: as numba computes it, bit for bit, by every shift, of arrays in every layout."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from enzyme import Active, Const, Duplicated, Forward, ReverseWithPrimal, autodiff, make_zero

ARRAYS = {
    "one": (1,),
    "line": (5,),
    "matrix": (3, 4),
    "cube": (2, 3, 2),
    "nothing": (0,),
}
LAYOUTS = {
    "C": lambda a: a,
    "F": np.asfortranarray,
    "backwards": lambda a: a[::-1],
    "every other": lambda a: np.repeat(a, 2, axis=-1)[..., ::2],
}
SHIFTS = (0, 1, -1, 3, 7, -23, 1 << 40, True, np.uint8(3), np.int32(-2))


pytestmark = pytest.mark.rotating(12)


@njit
def rolled(a, shift):
    return np.roll(a, shift)


@njit
def into(a, out, shift):
    out[...] = np.roll(a, shift)


@njit
def weighed(a, w, shift):
    return (np.roll(a, shift) * w * np.cos(a)).sum().real


@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
def test_every_shift(name, layout, dtype):
    rng = np.random.default_rng(3)
    shape = ARRAYS[name]
    a = rng.normal(size=shape).astype(dtype)
    if dtype is np.complex128:
        a += 1j * rng.normal(size=shape)
    a = LAYOUTS[layout](a)
    w = rng.normal(size=shape)
    v, da = make_zero(a), make_zero(a)
    v[...] = rng.normal(size=shape)
    for shift in SHIFTS:
        out, d_out = np.zeros(shape, dtype), np.zeros(shape, dtype)
        autodiff(Forward, into, Duplicated(a, v), Duplicated(out, d_out), Const(shift))
        assert out.tobytes() == rolled(a, shift).tobytes() == np.roll(a, int(shift)).tobytes()
        assert d_out.tobytes() == np.roll(v, int(shift)).tobytes()
        da[...] = 0
        given = Const(w), Const(shift)
        value = autodiff(ReverseWithPrimal, weighed, Active, Duplicated(a, da), *given)[1]
        assert value == pytest.approx(weighed(a, w, shift), rel=1e-14)
        (slope,) = autodiff(Forward, weighed, Duplicated(a, v), *given)
        assert np.vdot(da, v).real == pytest.approx(slope, rel=1e-12, abs=1e-13)


def test_lists_and_numbers_are_numbas():
    @njit
    def of_list(x):
        return np.roll([x, 2.0 * x, 3.0 * x], 1)[0] + np.roll(x, 2)

    assert autodiff(ReverseWithPrimal, of_list, Active, Active(2.0)) == ((4.0,), 8.0)
