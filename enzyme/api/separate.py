"""Arguments of `gradient` and `jacobian` are values: each element counts by itself, and none of them is changed.

A function may write to its arguments, and runs several times where there are several directions or outputs.  So it
gets copies: in every run then, and where it runs once only of what it writes to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from enzyme.api.combined import derivative
from enzyme.api.containers import addresses
from enzyme.api.overlaps import share
from enzyme.contract.kinds import holds_container
from enzymecore import Annotation, Const, make_zero
from enzymecore.copying import copied
from enzymecore.structure import arrays_in
from enzymecore.zeros import registered_leaf

__all__ = [
    "autodiff_of_values",
    "call_of_values",
    "contiguous",
    "copies",
    "direction",
    "own_elements",
    "writes",
    "written",
    "zeros",
]


# At a compiled derivative: the places of what its function writes to.
_WRITTEN = "__enzyme_written__"


def own_elements(x: Any) -> Any:
    """The same, with a place of its own for every element of every array: as in `np.broadcast_to`, several may have
    one, and then the derivative of each would be that of all of them."""
    return _changed(x, lambda a: a.copy() if not a.flags.forc and _may_coincide(a) else a)


def zeros(x: Any) -> Any:
    """Zeros for an argument, in a place of their own for every place in it: an array that stands in several parts of a
    tuple has a derivative in each."""
    if not isinstance(x, tuple) or registered_leaf(x) is not None:
        return make_zero(x)
    arrays = list(_arrays(x))
    if len(arrays) == len(set(arrays)):
        return make_zero(x)
    parts = map(zeros, x)
    return x._make(parts) if hasattr(x, "_make") else tuple(parts)


def _arrays(x: Any) -> Iterator[int]:
    if isinstance(x, tuple):
        for part in x:
            yield from _arrays(part)
    elif isinstance(x, np.ndarray):
        yield id(x)


def contiguous(args: Sequence[Any]) -> tuple[Any, ...]:
    """The arguments with all arrays in C order, as directions may be given for them; but what shares memory stays."""
    if _any_share(args, within=True):
        return tuple(map(own_elements, args))
    return tuple(_changed(x, lambda a: a if a.flags.c_contiguous else a.copy()) for x in args)


def direction(x: Any) -> Any:
    """A direction that may be written over, in C order."""
    return _changed(x if isinstance(x, np.ndarray | tuple) else copied(x), np.ndarray.copy)


def _changed(x: Any, change: Callable[[Any], Any]) -> Any:
    """The same value, with arrays changed; itself if none is."""
    if isinstance(x, np.ndarray):
        return change(x)
    if isinstance(x, Const):
        val = _changed(x.val, change)
        return x if val is x.val else Const(val)
    if not isinstance(x, tuple):
        return x
    parts = [_changed(part, change) for part in x]
    if all(new is old for new, old in zip(parts, x, strict=True)):
        return x
    return x._make(parts) if hasattr(x, "_make") else tuple(parts)


def _may_coincide(x: np.ndarray[Any, Any]) -> bool:
    """May two elements be in one place? Not if a step along each axis leaves behind all that is reached by the
    axes with smaller steps."""
    reached = x.itemsize
    for step, count in sorted(
        (abs(s), n) for s, n in zip(x.strides, x.shape, strict=True) if n > 1
    ):
        if step < reached:
            return True
        reached += (count - 1) * step
    return False


def copies(args: Sequence[Any]) -> tuple[Any, ...]:
    """Arguments with memory of their own; what shares memory shares it in the copies too."""
    return copied(tuple(args))  # type: ignore[no-any-return]


def autodiff_of_values(mode: Any, f: Any, *args: Any) -> Any:
    """`autodiff` that leaves the arguments as they are, constants too."""
    return call_of_values(derivative(mode, f, args), args)


def call_of_values(call: Any, args: Sequence[Any]) -> Any:
    """What a compiled derivative gives for arguments that stay as they are."""
    found = written(call, args)
    return call(*_apart(args, _first(args), found) if found else args)


def written(call: Any, args: Sequence[Any]) -> list[int]:
    """The places of the arguments that the function of a compiled derivative writes to."""
    found = call.__dict__.get(_WRITTEN)
    if found is None:
        first = _first(args)
        found = [k for k in range(first, len(args)) if writes(call, k - first)]
        call.__dict__[_WRITTEN] = found
    return found  # type: ignore[no-any-return]


def _first(args: Sequence[Any]) -> int:
    """Where the arguments begin: behind the return activity, if there is one."""
    return int(bool(args) and isinstance(args[0], type))


def _apart(args: Sequence[Any], first: int, written: Sequence[int]) -> Sequence[Any]:
    """The arguments with copies of what is written.

    What shares memory with differentiated arguments stays as it is: the call refuses it.
    """
    given = list(args)
    if not _any_share(args[first:]):
        for k in written:
            given[k] = _of_copy(args[k])
        return given
    constants = [k for k in range(first, len(args)) if isinstance(args[k], Const)]
    others = [args[k] for k in range(first, len(args)) if not isinstance(args[k], Const)]
    together = Const(tuple(args[k].val for k in constants))
    if not _any_share([together, *others]):
        for k, val in zip(constants, copied(together.val), strict=True):
            given[k] = Const(val)
    return given


def writes(call: Any, position: int) -> bool:
    """May a derivative's function write to an argument? Of containers it may."""
    program = getattr(call, "program", None)
    if program is None:
        return True
    return program.writes(position) or holds_container(program.signature.argtypes[position])


def _of_copy(arg: Any) -> Any:
    """The annotation of a copy, which is laid out like the value: the shadow fits it too."""
    if not hasattr(arg, "dval"):
        return type(arg)(copied(arg.val))  # type: ignore[call-arg]
    return type(arg)(copied(arg.val), arg.dval, check=False)


def _any_share(args: Sequence[Any], within: bool = False) -> bool:
    """Is there memory that more than one of the arguments holds, or one of them in several arrays (`within`)?"""
    values = [arg.val if isinstance(arg, Annotation) else arg for arg in args]
    arrays = [(k, x) for k, value in enumerate(values) for _, x in arrays_in(value)]
    if any(share(x, y) for (k, x), (n, y) in combinations(arrays, 2) if within or k != n):
        return True
    found: set[int] = set()
    for mine in map(addresses, values):
        if not found.isdisjoint(mine):
            return True
        found |= mine
    return False
