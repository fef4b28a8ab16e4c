"""Structrefs are values with parts like instances of jitclasses: zeros, shadows and what they may share."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit, types
from numba.experimental import structref

from enzyme import (
    Active,
    ActivityError,
    Const,
    Duplicated,
    Reverse,
    ReverseHolomorphic,
    ShadowLayoutError,
    autodiff,
    gradient,
    make_zero,
    make_zero_inplace,
    typeof,
)
from enzyme_testutils import test_reverse as check_reverse
from enzymecore import numba_types


@structref.register
class BodyType(types.StructRef):
    pass


class Body(structref.StructRefProxy):
    """From Python it has no attributes at all."""


structref.define_proxy(Body, BodyType, ["mass", "name", "at"])


@njit
def energy(body, g):
    return body.mass * g * (body.at * body.at).sum()


def content(body):
    return numba_types.field_values(body)


def body(mass=2.0, at=(1.0, 3.0), dtype=float):
    return Body(dtype(mass), 7, np.array(at, dtype))


def test_zeros():
    original = body()
    zero = make_zero(original)
    assert type(zero) is Body and zero is not original and typeof(zero) == typeof(original)
    mass, name, at = content(zero)
    assert (mass, name, at.tolist()) == (0.0, 7, [0.0, 0.0])
    assert content(original)[0] == 2.0
    make_zero_inplace(original)
    assert content(original)[0] == 0.0 and not content(original)[2].any()


def test_gradients():
    shadow = make_zero(body())
    autodiff(Reverse, energy, Active, Duplicated(body(), shadow), Active(3.0))
    for found in (shadow, gradient(Reverse, lambda b: energy(b, 3.0), body())):
        assert content(found)[0] == 30.0
        np.testing.assert_array_equal(content(found)[2], [12.0, 36.0])


def test_holomorphic_shadows_are_added_up():
    shadow = make_zero(body(dtype=complex))
    autodiff(
        ReverseHolomorphic, energy, Active, Duplicated(body(2j, dtype=complex), shadow), Const(1.0)
    )
    assert content(shadow)[0] == 10.0
    np.testing.assert_allclose(content(shadow)[2], [4j, 12j])


def test_a_shadow_of_another_shape_is_refused():
    with pytest.raises(ShadowLayoutError, match="at"):
        autodiff(
            Reverse, energy, Active, Duplicated(body(), body(0.0, (0.0, 0.0, 0.0))), Active(3.0)
        )


def test_a_shadow_that_holds_an_array_of_its_primal_is_refused():
    original = body()
    _, name, at = content(original)
    with pytest.raises(ActivityError, match="own shadow"):
        autodiff(Reverse, energy, Active, Duplicated(original, Body(0.0, name, at)), Active(3.0))


def test_testers_take_them():
    check_reverse(energy, Active, (body(), Duplicated), (3.0, Active))
