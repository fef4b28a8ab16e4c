"""What the machine code of derivatives calls by name: made known to the JIT before it is loaded.

What is taken from disk goes through here: nothing that compiles may be imported before it is needed.
"""

from __future__ import annotations

from collections.abc import Iterable

from enzyme.backend import symbols
from enzyme.engine.derivatives.scipy.names import OURS
from enzyme.frontend import arena, memory_error, pieces
from enzyme.frontend.wrapped import register_raise

_DICTS = "enzyme_c_"


def _special(symbol: str) -> int | None:
    from enzyme.frontend.special.making import address_of

    return address_of(symbol)


symbols.provide(OURS, _special)


def register(called: Iterable[str], named: Iterable[str]) -> None:
    """Register what every derivative may call, and the pieces with these names; `called` are all that it calls."""
    arena.register()
    memory_error.register_hook()
    register_raise()
    for name in named:
        pieces.load(name, lambda name=name: _make(name))  # type: ignore[misc]
    if any(name.startswith(_DICTS) for name in called):
        from enzyme.frontend.typed_dicts import register_for

        register_for(f"@{_DICTS}")


def _make(name: str) -> pieces.Piece:
    from enzyme.frontend.linear_algebra import make_piece

    return make_piece(name)
