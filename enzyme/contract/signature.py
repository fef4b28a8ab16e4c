"""What is to be compiled for one call: activities of arguments, their types, the number of shadows.

Everything here follows from types and annotation classes, but for the layout of shadows, where there are some.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from numba.core import types

from enzyme.contract.admission import check_return_class, width_of
from enzyme.contract.kinds import ACTIVITIES, BATCH, MIXED, buffer_in, by_value, in_memory, is_empty
from enzyme.engine.analysis.kinds import Activity, DiffMode
from enzyme.errors import ActivityError, BatchSizeError, ShadowLayoutError
from enzymecore import (
    Active,
    BatchDuplicatedFunc,
    Const,
    ForwardMode,
    Mode,
    ReverseMode,
    ReverseModeSplit,
    check_congruent,
    named_shadows,
    shadow_not_writable,
)
from enzymecore.record import record

_BATCH = (*BATCH, BatchDuplicatedFunc)


@record
class Signature:
    """A call by its types: everything a compiled derivative depends on."""

    mode: Mode
    return_activity: Any
    annotations: tuple[Any, ...]
    argtypes: tuple[types.Type, ...]
    width: int = 1

    @property
    def returns_batch(self) -> bool:
        """Is the shadow of the result asked for as a tuple, also where it has one member?"""
        wanted = self.return_activity
        return wanted is not None and issubclass(wanted, _BATCH)

    @property
    def forward(self) -> bool:
        return isinstance(self.mode, ForwardMode)

    @property
    def diff_mode(self) -> DiffMode:
        if isinstance(self.mode, ReverseModeSplit):
            return DiffMode.SPLIT
        return DiffMode.FORWARD if self.forward else DiffMode.REVERSE

    @property
    def activities(self) -> tuple[Activity, ...]:
        return tuple(ACTIVITIES[cls] for cls in self.annotations)


def of_call(
    mode: Mode, wanted: Any, args: Sequence[Any], type_at: Callable[[int, Any], types.Type]
) -> Signature:
    """The signature of a call; annotations must have been checked.

    An argument may also be a parametrised annotation class: a call of which only types are known. `type_at` gives the
    type of the argument at a position.
    """
    check_return_class(mode, wanted)
    width = width_of(mode, wanted, args)
    batched = any(issubclass(a if isinstance(a, type) else type(a), _BATCH) for a in args)
    if batched and isinstance(mode, ReverseMode) and mode.holomorphic:
        raise BatchSizeError(
            what="a batch in holomorphic reverse mode",
            why="it takes three lanes for one derivative",
            todo="call autodiff once per shadow, with Duplicated(x, dx)",
        )
    found = []
    for position, arg in enumerate(args):
        is_type = isinstance(arg, type)
        cls = arg.origin if is_type else type(arg)
        forward = isinstance(mode, ForwardMode)
        if cls is Active and forward:
            raise ActivityError(
                what=f"argument {position} is Active in forward mode",
                why="forward mode has no Active: it needs the tangent of what is differentiated",
                todo="use Duplicated(x, dx) with the tangent dx",
            )
        ty = type_at(position, arg)
        found.append((cls, ty))
        if cls is Const:
            continue
        if is_empty(ty):
            raise ActivityError(
                what=f"argument {position} is {cls.__name__}, but its type {ty} has nothing to "
                "differentiate",
                todo="use Const(x)",
            )
        buffer = buffer_in(ty)
        if buffer is not None:
            raise ActivityError(
                what=f"argument {position} is {cls.__name__} and a buffer that is no array: {buffer}",
                why="buffers are not compared with their shadows",
                todo="pass np.asarray(x), which shares its memory, with a shadow made by make_zero",
            )
        values, memory = by_value(ty), in_memory(ty)
        mixed = issubclass(cls, MIXED)
        if values and memory and not forward and not mixed:
            raise ActivityError(
                what=f"argument {position} is {cls.__name__} and of mixed activity: {ty}",
                why="it holds floats by value, whose adjoint is returned, and memory, whose adjoint "
                "is added to a shadow",
                todo=("use MixedDuplicated(x, ref)", "or put the floats into an array"),
            )
        if cls is Active:
            if memory:
                raise ActivityError(
                    what=f"argument {position} is Active but holds memory: {ty}",
                    why="the adjoint of memory is added to a shadow, not returned",
                    todo="use Duplicated(x, make_zero(x))",
                )
            continue
        if values and not forward and not mixed:
            raise ActivityError(
                what=f"argument {position} is {cls.__name__} but immutable ({ty}) in reverse mode",
                why="its adjoint cannot be added to a number that cannot change",
                todo="use Active(x); its adjoint is returned",
            )
        if not is_type:
            check_shadow(position, arg, values or memory, forward)
    return Signature(mode, wanted, tuple(c for c, _ in found), tuple(t for _, t in found), width)


def check_shadow(position: int, arg: Any, differentiable: bool, forward: bool) -> None:
    """Type, layout and access of a shadow, also where construction did not check."""
    for name, shadow in named_shadows(arg):
        if shadow is not arg.val:
            check_congruent(arg.val, shadow, f"{name} of argument {position}")
    if differentiable and not forward:
        check_writable(position, arg)


def check_writable(position: int, arg: Any) -> None:
    """Refuse a read-only shadow."""
    problem = shadow_not_writable(arg)
    if problem:
        raise ShadowLayoutError(
            what=f"argument {position}: {problem}",
            why="derivatives are written into the shadow",
            todo="make it with make_zero(x), or set shadow.flags.writeable = True",
        )
