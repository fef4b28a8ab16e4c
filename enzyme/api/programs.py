"""The program of a call: from disk, if it is there, or compiled."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from enzyme.api.kept import kept_program, place_of
from enzyme.api.places import definition, shown
from enzyme.contract.signature import Signature
from enzyme.errors import CompilationException
from enzymecore.record import record

if TYPE_CHECKING:
    from enzyme.api.compile import Program


class AlwaysRaises(CompilationException):
    """The primal has no way to return; running it shows its own exception."""

    def __init__(self, function: Any) -> None:
        super().__init__(
            what=f"{shown(function)} never returns",
            todo="call it from Python to see its exception",
            where=definition(function),
        )


def check_count(func: Any, count: int) -> None:
    """Raise Python's own TypeError for a wrong number of arguments."""
    try:
        parameters = inspect.signature(func.py_func)
    except (TypeError, ValueError):
        return
    try:
        parameters.bind(*range(count))
    except TypeError as error:
        raise TypeError(f"{shown(func)}() {error}") from None


@record
class Known:
    """Stands for an annotation in `prepare`: `val` is what its type tells of the value, the functions in it."""

    val: Any


def prepare(
    func: Any, signature: Signature, args: Sequence[Any], nested: bool = False, fresh: bool = False
) -> Program:
    """The program of a call, from disk or compiled; `nested` if the derivative has derivatives itself.

    With `fresh` it is compiled in any case.

    Raises
    ------
    AlwaysRaises
        If the primal cannot return.
    """
    if getattr(func, "targetoptions", {}).get("forceobj"):
        raise CompilationException(
            what=f"{shown(func)} is compiled in object mode",
            why="only code that numba compiles to machine code can be differentiated",
            todo="decorate it with @njit",
            where=definition(func),
        )
    place = None if nested or fresh else place_of(func, signature)
    if place is None:
        return _compiled(func, signature, args, nested)
    types_alone = [Known(None)] * len(args)
    found = kept_program(
        place, signature, func, args, lambda: _compiled(func, signature, types_alone)
    )
    if found is not None:
        return cast("Program", found)
    program = _compiled(func, signature, args)
    program.place = place
    return program


def _compiled(
    func: Any, signature: Signature, args: Sequence[Any], nested: bool = False
) -> Program:
    from enzyme.api.compile import compile_program  # the compiler is not needed for what is on disk

    return compile_program(func, signature, args, nested)
