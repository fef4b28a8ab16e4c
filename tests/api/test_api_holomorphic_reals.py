"""Holomorphic mode and what is real in its arguments: no imaginary part of a derivative is dropped."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from numba import complex128, float64, njit
from numba.experimental import jitclass
from numba.typed import List

from enzyme import (
    Active,
    ActivityError,
    Const,
    Duplicated,
    Forward,
    MixedDuplicated,
    Reverse,
    ReverseHolomorphic,
    autodiff,
    gradient,
    jacobian,
    make_zero,
)

X = np.array([1.0, 2.0])
Z = np.array([1 + 2j])
FIELDS = np.dtype([("z", "c16"), ("x", "f8")])
INNER = np.dtype([("inner", FIELDS), ("w", "c16")])


class Pair(NamedTuple):
    z: complex
    x: float


@jitclass([("z", complex128), ("x", float64[::1])])
class Cell:
    def __init__(self, z, x):
        self.z = z
        self.x = x


def turned(x):
    return x * x * 1j


def wave(x):
    return np.exp(1j * x)


def product(z, x):
    return z * x * 1j


def total(x):
    return (x * 1j).sum()


def of_pair(p):
    return p[0] * p[1]


def of_first(p):
    return p[0] * p[1][0]


def of_cell(c):
    return c.z * c.x[0]


def of_record(r):
    return r[0].z * r[0].x


def of_nested(r):
    return r[0].inner.z * r[0].inner.x * r[0].w


def in_memory(f, x):
    """Of a value with a shadow; that must stay as it is."""
    shadow = make_zero(x)
    try:
        autodiff(ReverseHolomorphic, f, Active, Duplicated(x, shadow))
    finally:
        if isinstance(shadow, np.ndarray):
            assert shadow.tobytes() == make_zero(x).tobytes()


def filled(dtype):
    x = np.zeros(2, dtype)
    inner = x["inner"] if dtype is INNER else x
    inner["z"], inner["x"] = 1 + 2j, 3.0
    if dtype is INNER:
        x["w"] = 1j
    return x


REFUSED = {
    "gradient of a number": (lambda: gradient(ReverseHolomorphic, wave, 0.5), 0),
    "gradient of an array": (lambda: gradient(ReverseHolomorphic, total, X), 0),
    "gradient of several": (lambda: gradient(ReverseHolomorphic, product, 2 + 1j, 2.0), 1),
    "Jacobian": (lambda: jacobian(ReverseHolomorphic, turned, X), 0),
    "Jacobian of a number": (lambda: jacobian(ReverseHolomorphic, wave, 0.5), 0),
    "Jacobian of several": (lambda: jacobian(ReverseHolomorphic, product, Z, np.ones(1)), 1),
    "Jacobian of a tuple": (
        lambda: jacobian(ReverseHolomorphic, lambda t: np.array([t[0] * t[1]]), (1j, 2.0)),
        0,
    ),
    "Jacobian of a result in parts": (
        lambda: jacobian(ReverseHolomorphic, lambda x: (x, x * 1j), 2.0),
        0,
    ),
    "Jacobian of records": (
        lambda: jacobian(ReverseHolomorphic, lambda r: np.array([r[0].z * r[0].x]), filled(FIELDS)),
        0,
    ),
    "Active": (
        lambda: autodiff(ReverseHolomorphic, product, Active, Active(2 + 1j), Active(2.0)),
        1,
    ),
    "Active tuple": (lambda: autodiff(ReverseHolomorphic, of_pair, Active(Pair(1j, 2.0))), 0),
    "float32": (lambda: autodiff(ReverseHolomorphic, wave, Active(np.float32(0.5))), 0),
    "Duplicated": (lambda: in_memory(total, X.copy()), 0),
    "records": (lambda: in_memory(of_record, filled(FIELDS)), 0),
    "records in records": (lambda: in_memory(of_nested, filled(INNER)), 0),
    "instance": (lambda: in_memory(of_cell, Cell(1j, np.ones(1))), 0),
    "typed list": (lambda: in_memory(lambda v: v[0] * v[1] * 1j, List([1.0, 2.0])), 0),
    "tuple of arrays": (lambda: in_memory(lambda t: t[0][0] * t[1][0], (Z.copy(), X.copy())), 0),
    "mixed": (
        lambda: autodiff(
            ReverseHolomorphic,
            of_first,
            MixedDuplicated((1.0, np.array([1j])), [(0.0, np.zeros(1, complex))]),
        ),
        0,
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_complex_derivatives_of_real_arguments_are_refused(name):
    call, position = REFUSED[name]
    with pytest.raises(ActivityError, match=f"argument {position} holds real numbers") as found:
        call()
    text = str(found.value)
    for remedy in ("x.astype(np.complex128)", "use Forward", "return f(x).real", "Const"):
        assert remedy in text


def test_the_remedies():
    rows = [[2j, 0], [0, 4j]]
    np.testing.assert_allclose(jacobian(ReverseHolomorphic, turned, X.astype(complex)), rows)
    np.testing.assert_allclose(jacobian(Forward, turned, X), rows)
    np.testing.assert_allclose(jacobian(Reverse, lambda x: (x * x * 1j).real, X), np.zeros((2, 2)))
    slope = 1j * np.exp(0.5j)
    np.testing.assert_allclose(gradient(ReverseHolomorphic, wave, complex(0.5)), slope)
    np.testing.assert_allclose(gradient(Forward, wave, 0.5), slope)
    ((dz, _),) = autodiff(ReverseHolomorphic, product, Active, Active(2 + 1j), Const(2.0))
    assert dz == 2j


@pytest.mark.parametrize("call", [gradient, jacobian])
@pytest.mark.parametrize("x", [0.5, X])
def test_reverse_mode_shows_the_way_to_forward_mode(call, x):
    f = total if call is gradient and x is X else wave
    with pytest.raises(ActivityError, match="ambiguous") as found:
        call(Reverse, f, x)
    assert "use Forward, which gives complex derivatives with respect to real" in str(found.value)
    assert np.iscomplexobj(call(Forward, f, x))


def test_constants_and_complex_arguments_are_shown_holomorphic_mode():
    with pytest.raises(ActivityError, match="use ReverseHolomorphic"):
        jacobian(Reverse, product, Z, Const(np.ones(1)))


def test_real_derivatives_stay():
    """The result is of a complex type, and the derivatives of its imaginary part are zero."""
    ((dx,),) = autodiff(ReverseHolomorphic, lambda x: (x + 0j) ** 2, Active(3.1))
    assert dx == 6.2 and type(dx) is float
    found = jacobian(ReverseHolomorphic, lambda x: x * x + 0j, X)
    assert found.dtype == float
    np.testing.assert_array_equal(found, np.diag(2 * X))

    def f(out, z):
        out[0] = z.real
        return z * 1j

    out, dout = np.zeros(1), np.zeros(1)
    assert autodiff(ReverseHolomorphic, f, Duplicated(out, dout), Active(2j)) == ((None, 1j),)


def test_jacobians_of_parts():
    """Each complex number in a tuple or record has d/dz, as where it is alone."""
    z, w = 1 + 2j, 3 - 1j
    dz, dw = jacobian(
        ReverseHolomorphic, lambda t: np.array([t[0][0] * t[1], t[1]]), (np.array([z]), w)
    )
    np.testing.assert_allclose(dz, [[w], [0]])
    np.testing.assert_allclose(dw, [z, 1])
    x = np.zeros(2, [("z", "c16"), ("w", "c16", (2,))])
    x["z"], x["w"] = z, w
    found = jacobian(ReverseHolomorphic, lambda r: np.array([r[0].z * r[1].w[1]]), x)
    np.testing.assert_allclose(found["z"], [[w, 0]])
    np.testing.assert_allclose(found["w"], [[[0, 0], [0, z]]])


def test_fields_of_fields():
    x = filled(INNER)
    found = gradient(ReverseHolomorphic, lambda r: r[0].inner.z * r[0].w, x)
    np.testing.assert_array_equal(found["inner"]["z"], [1j, 0])
    np.testing.assert_array_equal(found["w"], [1 + 2j, 0])


def test_arrays_made_in_a_typed_list():
    """They come out of the list as new objects each time."""

    @njit
    def made(count):
        return List([np.full(1, k + 1j) for k in range(count)])

    def f(items):
        s = 0j
        for item in items:
            s += item[0] * item[0]
        return s

    items = made(7)
    shadow = make_zero(items)
    autodiff(ReverseHolomorphic, f, Active, Duplicated(items, shadow))
    np.testing.assert_array_equal([d[0] for d in shadow], [2 * (k + 1j) for k in range(7)])


def test_functions_that_are_not_holomorphic():
    z = 2 + 1j
    ((found,),) = autodiff(ReverseHolomorphic, lambda z: z.real * z.real, Active(z))
    assert found == 4  # a real result: u_x + i u_y
    ((found,),) = autodiff(ReverseHolomorphic, lambda z: z.real * z.real + 0j, Active(z))
    assert found == 2  # a complex result: (f_x - i f_y) / 2
