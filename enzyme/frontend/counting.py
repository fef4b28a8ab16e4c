"""Reference counts of numba's objects: the functions that derivatives call for them."""

from __future__ import annotations

from enzyme.backend import symbols
from enzyme.frontend import pieces
from enzyme.frontend.numba_compat.runtime import register_runtime, runtime_interface

_registered = False


def register() -> None:
    """Let every JIT of the process find numba's functions for objects."""
    global _registered
    if not _registered:
        register_runtime()
        symbols.register("enzyme_numba_object", runtime_interface("allocate_external"))
        pieces.load("counting", _make)
        _registered = True


def _make() -> pieces.Piece:
    from enzyme.backend.emit import called_by, defined_by, object_of
    from enzyme.frontend.numba_compat.runtime import counting_module

    module = counting_module()
    return pieces.Piece(object_of(module), defined_by(module), called_by(module))
