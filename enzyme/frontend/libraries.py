"""Libraries of numba's whose code we have optimised ourselves."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from typing import Any

from enzyme.backend import passes
from enzyme.frontend.numba_compat import code


class Library(code.Library):
    """A library whose machine code is made as derivatives need it, and quickly with `quick`."""

    def __init__(self, owner: Any, name: str, quick: bool = False) -> None:
        super().__init__(owner, name)
        self.quick = quick

    def load(self) -> None:
        if self.quick:
            give_quick_object(self)
        with passes.without_strength_reduction():
            super().load()


def give_quick_object(library: Any) -> bytes:
    """Let numba's engine take machine code that is made quickly for that of a library; comes before it is loaded."""
    data = passes.quick_object(code.whole(library))
    code.give_object(library, data)
    return data
