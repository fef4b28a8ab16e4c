"""Values of types that extensions of numba register, in all modes: the float of a struct and its array."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit, types
from numba.core import cgutils
from numba.extending import (
    NativeValue,
    box,
    make_attribute_wrapper,
    models,
    register_model,
    typeof_impl,
    unbox,
)

from enzyme import (
    Active,
    BatchMixedDuplicated,
    Const,
    Duplicated,
    DuplicatedNoNeed,
    Forward,
    MixedDuplicated,
    Reverse,
    ReverseSplitWithPrimal,
    autodiff,
    autodiff_thunk,
)
from enzymecore import make_zero, typeof
from enzymecore.numba_types import declare_type, holds_floats
from enzymecore.structure import Kind, declare_kind


class Beam:
    def __init__(self, count, stiffness, loads):
        self.count, self.stiffness, self.loads = count, stiffness, loads


class BeamType(types.Type):
    pass


BEAM = BeamType("Beam")
MEMBERS = [("count", types.int64), ("stiffness", types.float64), ("loads", types.float64[::1])]


@register_model(BeamType)
class BeamModel(models.StructModel):
    def __init__(self, manager, ty):
        super().__init__(manager, ty, MEMBERS)


for _name, _ in MEMBERS:
    make_attribute_wrapper(BeamType, _name, _name)


@typeof_impl.register(Beam)
def typeof_beam(beam, context):
    return BEAM


@unbox(BeamType)
def unbox_beam(ty, given, c):
    made = cgutils.create_struct_proxy(ty)(c.context, c.builder)
    for name, member in MEMBERS:
        part = c.pyapi.object_getattr_string(given, name)
        setattr(made, name, c.unbox(member, part).value)
        c.pyapi.decref(part)
    return NativeValue(made._getvalue(), cgutils.is_not_null(c.builder, c.pyapi.err_occurred()))


@box(BeamType)
def box_beam(ty, value, c):
    held = cgutils.create_struct_proxy(ty)(c.context, c.builder, value=value)
    cls = c.pyapi.unserialize(c.pyapi.serialize_object(Beam))
    parts = [c.box(member, getattr(held, name)) for name, member in MEMBERS]
    made = c.pyapi.call_function_objargs(cls, parts)
    for part in (cls, *parts):
        c.pyapi.decref(part)
    return made


@njit
def energy(beam):
    total = 0.0
    for load in beam.loads:
        total += load * load
    return beam.count * total / beam.stiffness


@pytest.fixture(autouse=True)
def declared():
    declare_kind(Beam, Kind.STRUCT)
    declare_type(Beam, lambda beam: BEAM)
    yield
    declare_kind(Beam, None)
    declare_type(Beam, None)


def beam():
    return Beam(3, 2.0, np.array([1.0, 3.0]))


SLOPES = -7.5, [3.0, 9.0]


def check(shadow, factor=1.0):
    assert shadow.stiffness == pytest.approx(factor * SLOPES[0])
    np.testing.assert_allclose(shadow.loads, factor * np.array(SLOPES[1]))


def test_forward():
    tangent = Beam(0, 0.5, np.array([1.0, -1.0]))
    (got,) = autodiff(Forward, energy, DuplicatedNoNeed, Duplicated(beam(), tangent))
    assert got == pytest.approx(0.5 * SLOPES[0] + SLOPES[1][0] - SLOPES[1][1])


def test_reverse_adds_to_the_shadow():
    """The float of a struct got no adjoint: its Ref stayed as it was."""
    ref = [make_zero(beam())]
    for times in (1.0, 2.0):
        autodiff(Reverse, energy, Active, MixedDuplicated(beam(), ref))
        check(ref[0], times)


def test_batch():
    refs = ([make_zero(beam())], [make_zero(beam())])
    autodiff(Reverse, energy, Active, BatchMixedDuplicated(beam(), refs))
    for ref in refs:
        check(ref[0])


def test_split_thunk():
    given = MixedDuplicated(beam(), [make_zero(beam())])
    kinds = Const[typeof(energy)], Active, MixedDuplicated[typeof(beam())]
    ahead, back = autodiff_thunk(ReverseSplitWithPrimal, *kinds)
    tape, value, _ = ahead(Const(energy), given)
    assert value == energy.py_func(beam())
    back(Const(energy), given, 1.0, tape)
    check(given.dval[0])


def test_what_numba_says_of_it():
    assert typeof(beam()).numba_type is BEAM
    assert holds_floats(BEAM)
    declare_type(Beam, None)
    assert not hasattr(typeof(beam()), "numba_type")
