"""How results are laid out: nested tuples of parts, for each kind of call.

What native code gives is flat; a layout says where each of its results stands for the caller.  Python writes source
from it, numba gets a type and the code that joins the results.

| call | layout |
|---|---|
| forward mode | primal result and shadow as mode and return activity ask |
| combined reverse mode | a tuple with one entry per argument, the primal result |
| first call of split mode | tape, primal result, shadow; None for what there is not |
| second call of split mode | a tuple with one entry per argument, in a tuple |
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from enzyme.contract.results import Return
from enzyme.contract.signature import Signature
from enzyme.engine.analysis.kinds import Activity
from enzymecore import BatchDuplicated, Duplicated
from enzymecore.record import record

T = TypeVar("T")


@record
class Part:
    """One result of native code, as `CallPlan.results` names it; in a batch all of its lanes."""

    role: str
    index: int = -1


TAPE = Part("tape")
PRIMAL = Part("primal")
SHADOW = Part("shadow")
ZERO = Part("zero")  # no result of native code: a zero like the primal result

# None, a part, or a tuple of layouts.
Layout = Any


def of_autodiff(signature: Signature, result: Return) -> Layout:
    """What `autodiff`, or a forward thunk, returns."""
    if signature.forward:
        return _of_forward(signature, result)
    entries = _entries(signature)
    return (entries, PRIMAL) if result.primal else (entries,)


def _of_forward(signature: Signature, result: Return) -> Layout:
    shadow: Layout = SHADOW
    if result.zero_shadow:
        shadow = ZERO if signature.width == 1 else (ZERO,) * signature.width
    wanted = signature.return_activity
    both = wanted is not None and issubclass(wanted, Duplicated | BatchDuplicated)
    shadows = (_in_batch(signature, shadow),) if result.shadow else ()
    primals = (PRIMAL,) if both or signature.mode.return_primal else ()
    return (*shadows, *primals) if result.shadow_first else (*primals, *shadows)


def of_augmented(signature: Signature, result: Return, has_tape: bool) -> Layout:
    """What the first call of split mode returns."""
    return (
        TAPE if has_tape else None,
        PRIMAL if result.primal else None,
        _in_batch(signature, SHADOW) if result.shadow else None,
    )


def of_reverse(signature: Signature) -> Layout:
    """What the second call of split mode returns."""
    return (_entries(signature),)


def _entries(signature: Signature) -> Layout:
    """One entry per argument: the adjoint of an active one, None of the others."""
    return tuple(
        Part("adjoint", position) if activity is Activity.ACTIVE else None
        for position, activity in enumerate(signature.activities)
    )


def _in_batch(signature: Signature, shadow: Layout) -> Layout:
    """A batch of one lane is a tuple where the return activity asks for a batch."""
    return (shadow,) if signature.returns_batch and signature.width == 1 else shadow


def fold(layout: Layout, leaf: Callable[[Part | None], T], joined: Callable[[Sequence[T]], T]) -> T:
    """What becomes of a layout, from that of its parts and of None."""
    if isinstance(layout, tuple):
        return joined([fold(part, leaf, joined) for part in layout])
    return leaf(layout)


def parts_of(layout: Layout) -> Iterator[Part]:
    """The parts that the caller gets."""
    if isinstance(layout, tuple):
        for part in layout:
            yield from parts_of(part)
    elif layout is not None:
        yield layout
