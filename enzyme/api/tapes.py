"""Tapes: what split reverse mode keeps between its two calls."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

import ctypes
import functools
import sys
from collections.abc import Callable
from typing import Any, ClassVar

from enzyme.contract.tapes import no_travelling, used_tape
from enzyme.frontend import arena


class TapeClass(type):
    """Class of the classes of tapes; one belongs to each thunk."""

    thunk: Any


class Tape(metaclass=TapeClass):
    """What one augmented call keeps for its reverse call; to be used once.

    Each thunk has a class of its own, see `tape_type`. A tape that is dropped frees its memory.
    """

    __slots__ = ("__weakref__", "_handles", "contents", "held", "pair", "places")
    thunk: ClassVar[Any] = None
    close: ClassVar[Any] = None

    def __init__(
        self,
        handle: int,
        held: tuple[Any, ...],
        pair: Any,
        places: tuple[Any, ...] = (),
        contents: tuple[Any, ...] = (),
    ) -> None:
        self._handles = [handle]
        self.held = held
        self.pair = pair
        self.places = places
        self.contents = contents

    def take(self) -> int:
        """The address of the storage, which the caller owns now."""
        try:
            return self._handles.pop()  # atomic: of two threads one fails
        except IndexError:
            raise used_tape() from None

    @property
    def nbytes(self) -> int:
        """Bytes that the tape keeps; 0 when it has been used."""
        handles = list(self._handles)
        return int(_native("enzyme_held")(handles[0])) if handles and handles[0] else 0

    def __repr__(self) -> str:
        state = f"{self.nbytes} bytes" if self._handles else "used"
        return f"<{type(self).__name__}, {state}>"

    def __reduce__(self) -> Any:
        raise no_travelling()

    def __del__(self, exiting: Callable[[], bool] = sys.is_finalizing) -> None:
        if not getattr(self, "_handles", None):  # used, as nearly all are
            return
        try:
            handle = self._handles.pop()
        except IndexError:
            return
        if handle and not exiting():  # compiled code may be gone then, and the memory soon is
            self.close(handle, False)


def tape_class(name: str, thunk: Any) -> TapeClass:
    """The class of the tapes of a thunk. It has the function that frees memory: at exit nothing can be compiled."""
    namespace = {
        "__slots__": (),
        "thunk": thunk,
        "close": _native("enzyme_close"),
        "__doc__": Tape.__doc__,
    }
    return TapeClass(name, (Tape,), namespace)


@functools.cache
def _native(name: str) -> Any:
    """A function of the arena; called with the interpreter's lock, as destructors may need it."""
    address = arena.register().address(name)
    if name == "enzyme_held":
        return ctypes.PYFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)(address)
    return ctypes.PYFUNCTYPE(None, ctypes.c_void_p, ctypes.c_bool)(address)
