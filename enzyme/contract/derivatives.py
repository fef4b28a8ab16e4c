"""What `gradient` and `jacobian` are made of and how their results are put together.

Arguments are values: Const and what holds no floats has None in the result, for several arguments there is a tuple,
and a mode that returns the primal result gives it beside the derivatives.  Of a Jacobian, outside stands what the
function returns, inside what it takes: for a tuple there is a tuple, of its class, with None for what holds no
floats.

Values in Python and terms of source are taken apart by a `View` of each.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numba.core import types

from enzyme.errors import (
    ActivityError,
    BatchSizeError,
    EnzymeNonScalarReturnException,
    ModeError,
)
from enzyme.frontend.leaves import is_differentiable
from enzymecore import (
    Active,
    ActiveState,
    ActivityState,
    Annotation,
    AnyState,
    BatchDuplicated,
    BatchMixedDuplicated,
    Const,
    Duplicated,
    DupState,
    ForwardMode,
    MixedDuplicated,
    MixedState,
    ReverseMode,
)


class WithValue(NamedTuple):
    """Derivatives together with the primal result, of modes that return it."""

    derivs: Any
    val: Any


class View(Protocol):
    """How the parts of a value are found."""

    def parts(self, x: Any) -> Sequence[Any] | None:
        """The parts of a tuple; None for everything else."""

    def state(self, x: Any) -> ActivityState:
        """Where the floats of a value are."""

    def like(self, x: Any, parts: Sequence[Any]) -> Any:
        """A tuple of the class of `x`."""

    def nothing(self) -> Any:
        """None."""


# --- what is asked for ------------------------------------------------------------------------------


def is_forward(mode: Any, name: str, forward_too: bool = True) -> bool:
    """Is the derivative `name` taken in forward mode? An error for modes that it cannot have."""
    if forward_too and isinstance(mode, ForwardMode):
        return True
    if not isinstance(mode, ReverseMode):
        modes = "a forward or a combined reverse mode" if forward_too else "a combined reverse mode"
        raise ModeError(
            what=f"{name} takes {modes}, not {mode!r:.60}",
            todo="use Reverse or ReverseWithPrimal",
        )
    return False


def check_constant(cls: type) -> None:
    """Of the annotations only Const says something about an argument."""
    if issubclass(cls, Const):
        return
    raise ActivityError(
        what=f"an argument is annotated {cls.__name__}",
        why="gradient and jacobian make the shadows themselves",
        todo="pass the plain value, or Const(x)",
    )


def numbers_behind(f: Any, given: Sequence[bool], most: int) -> int:
    """How many of the last arguments behind the first are numbers of directions or outputs, up to `most`.

    What `f` can take is an argument of `f`; `given` tells which are plain ints.
    """
    numbers = 0
    while (
        numbers < min(most, len(given))
        and given[-1 - numbers]
        and not takes(f, 1 + len(given) - numbers)
    ):
        numbers += 1
    return numbers if takes(f, 1 + len(given) - numbers) else 0


def takes(f: Any, count: int) -> bool:
    """Can a function be called with so many arguments?"""
    f = f.val if isinstance(f, Annotation) else f
    if isinstance(f, np.ufunc):
        return count == f.nin
    try:
        inspect.signature(getattr(f, "py_func", f)).bind(*range(count))
    except (TypeError, ValueError):
        return False
    return True


def wrong_chunk(found: str = "") -> BatchSizeError:
    """The error for a chunk that is no positive int."""
    return BatchSizeError(
        what=f"the chunk must be a positive int{found and f', not {found}'}",
        todo="leave it out: as many directions go together as are fast",
    )


def wrong_outputs(found: str) -> ActivityError:
    """The error for a number of outputs that is no number."""
    return ActivityError(
        what=f"n_outs is the number of outputs or their shape, not {found:.60}",
        todo="leave it out: it is found by a call of the function",
    )


# More shadows than this do not stay in registers.
_WIDEST = 8
# Characters of code, times lanes.
_LARGEST = 8_000_000


def width_of_group(chunk: int | None, count: int, size: int = 0) -> int:
    """How many directions or outputs go together. `size` is that of the program's code: of a large one fewer, for its
    derivative grows with them, compiles slowly and needs much of the stack."""
    widest = min(_WIDEST, _LARGEST // size) if size else _WIDEST
    return max(1, min(widest if chunk is None else chunk, count))


# --- the derivatives --------------------------------------------------------------------------------

_SINGLE = {ActiveState: Active, DupState: Duplicated, MixedState: MixedDuplicated, AnyState: Const}
_BATCHES = {**_SINGLE, DupState: BatchDuplicated, MixedState: BatchMixedDuplicated}


def annotation_of(state: ActivityState, width: int = 1) -> Any:
    """The annotation with which the derivative with respect to a value is taken in reverse mode."""
    return (_SINGLE if width == 1 else _BATCHES)[state]


def is_constant(view: View, x: Any) -> bool:
    """Is there no derivative with respect to an argument?"""
    return view.state(x) is AnyState


def no_derivative() -> ActivityError:
    """The error of forward mode for a result without floats."""
    return ActivityError(
        what="the result of the function holds no floats, so it has no derivative",
        todo="return a float or an array of floats",
    )


def no_gradient(restype: types.Type, floats: Sequence[str]) -> EnzymeNonScalarReturnException:
    """The error of reverse mode for a result other than one float; `floats` says of integers what to pass instead."""
    if is_differentiable(restype):
        many = isinstance(restype, types.Array | types.BaseTuple)
        todo: tuple[str, ...] = (
            "use jacobian, or return one number" if many else "return one number",
        )
        if isinstance(restype, types.BaseTuple) and len(restype) == 2:
            todo = (
                *todo,
                "or has_aux=True of grad and value_and_grad, if the second only comes along",
            )
    elif floats:
        todo = (
            f"pass floats to differentiate with respect to them: {floats[0]}",
            "or return a float",
        )
    else:
        todo = ("return a float",)
    return EnzymeNonScalarReturnException(
        what=f"the gradient of a function that returns {restype}",
        why="a gradient is the derivative of one real number",
        todo=todo,
    )


def floats_for(x: Any) -> str:
    """What to pass in place of an integer, or several of them; empty for anything else."""
    if isinstance(x, int | np.integer) and not isinstance(x, bool):
        return f"{float(x)!r} in place of {x!r}"
    if isinstance(x, np.ndarray) and x.dtype.kind in "iu":
        return floats_for_array(x.dtype)
    if type(x) in (list, tuple, set) and x and all(isinstance(v, int) for v in x):
        shown = type(x)(map(float, x))
        return f"{shown!r:.40}, or an array of floats, in place of {x!r:.40}"
    return ""


def floats_for_array(dtype: Any) -> str:
    """What to pass in place of an array of integers."""
    return f"x.astype(float) in place of an array of {dtype}"


def no_rows(what: Any) -> ActivityError:
    """The error for a result of which a Jacobian in reverse mode has no rows."""
    return ActivityError(
        what=f"the Jacobian of a function that returns {what}",
        why="its rows are the outputs: the elements of an array, or the parts of a tuple",
        todo="return an array of floats, a float, or a tuple of them",
    )


def ambiguous_rows(dtype: Any, real_arguments: bool) -> ActivityError:
    """The error for complex outputs in a mode that is not holomorphic."""
    return ActivityError(
        what=f"the Jacobian of a function that returns {dtype} is ambiguous",
        why="a complex result has two gradients, of its real and of its imaginary part",
        todo=(
            "use Forward, which gives complex derivatives with respect to real arguments"
            if real_arguments
            else "use ReverseHolomorphic for a holomorphic function",
            "or return real numbers",
        ),
    )


def half_of_derivative(holomorphic: bool) -> ActivityError:
    """The error of forward mode for a real function of complex numbers."""
    return ActivityError(
        what="forward mode along real directions, for a real function of complex numbers",
        why="that is the derivative with respect to the real parts; half of the gradient would be missing",
        todo=(
            f"use {'ReverseHolomorphic' if holomorphic else 'Reverse'}, which gives u_x + i u_y",
            "or call autodiff(Forward, ...) along 1 and along 1j",
        ),
    )


def no_directions(
    kind: str, is_list: bool = False, unasked: bool = False, instead: str = ""
) -> ActivityError:
    """The error for an argument that has no unit directions; `unasked`: none can be given.

    `instead` says what to do if that is known.
    """
    other = "pass numba.typed.List(...) and use Reverse" if is_list else "use Reverse"
    return ActivityError(
        what=f"forward mode along the components of {'an' if kind[0] in 'aeiou' else 'a'} {kind}",
        why="there are unit directions of numbers, of arrays and of tuples of them",
        todo=instead or (other if unasked else (other, "or give the directions: shadow=(dx,)")),
    )


# --- the results ------------------------------------------------------------------------------------


def by_structure(
    view: View, x: Any, leaf: Callable[[Any, tuple[int, ...]], Any], path: tuple[int, ...] = ()
) -> Any:
    """What `leaf` makes of the parts that are no tuples, which it gets with the way there, laid out like `x`."""
    members = view.parts(x)
    if members is None:
        return leaf(x, path)
    return view.like(
        x,
        [
            view.nothing()
            if is_constant(view, part)
            else by_structure(view, part, leaf, (*path, k))
            for k, part in enumerate(members)
        ],
    )


def with_inactive(view: View, x: Any, derivative: Any) -> Any:
    """A derivative of the type of `x`, with what is inactive in `x` taken from there: an adjoint has zeros in place."""
    members = view.parts(x)
    if members is None:
        return derivative
    found = view.parts(derivative)
    assert found is not None
    return view.like(
        x,
        [
            part if is_constant(view, part) else with_inactive(view, part, d)
            for part, d in zip(members, found, strict=True)
        ],
    )


def axes(outputs: bool, alone: bool, inputs: bool) -> tuple[str, ...]:
    """The axes of a block of a Jacobian: those of an array of outputs or the one of a number that is returned alone,
    then those of an array of inputs."""
    rows = ("outputs",) if outputs else ("row",) * alone
    return (*rows, *(("inputs",) if inputs else ()))
