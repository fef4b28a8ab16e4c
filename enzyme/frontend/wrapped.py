"""What Python calls in place of a derivative: its machine code, and the function that it becomes; see `wrappers`."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from numba.core import types

from enzyme.backend.objects import LoadedObject
from enzyme.frontend import counting, pieces
from enzyme.frontend.numba_compat.executable import python_function
from enzyme.frontend.plans import CallPlan
from enzymecore.record import record


@record
class WrapperCode:
    """The machine code of a wrapper: an object file, the names in it, what it calls, the constants that it reads.

    `bound` is what binds it to its process, "" if nothing does.
    """

    data: bytes
    entry: str
    environment: str
    called: tuple[str, ...]
    constants: tuple[Any, ...]
    bound: str


class Wrapper:
    """What Python calls: the address of a derivative, then its flat arguments in the order of the plan.

    `dispatcher` checks and converts types like any jitted function. `entry` is the same without that: it may only be
    given arguments of exactly the plan's types.
    """

    def __init__(self, plan: CallPlan, code: WrapperCode, nogil: bool) -> None:
        self.code = code
        self._types = (types.intp, *plan.flat_types), plan.result_type
        self._nogil = nogil
        loaded = LoadedObject(code.data)
        self.entry = python_function(loaded, code.entry, code.environment, code.constants)

    @cached_property
    def dispatcher(self) -> Callable[..., Any]:
        """Made when it is asked for: most calls are of the right types."""
        from enzyme.frontend.wrappers import dispatcher_of

        return dispatcher_of(self.entry, *self._types, self._nogil)


def register_raise() -> None:
    """Let every wrapper find the function that sets an exception."""
    counting.register()
    pieces.load("raise", _make_raise)


def _make_raise() -> pieces.Piece:
    from enzyme.frontend.wrappers import raise_piece

    return raise_piece()
