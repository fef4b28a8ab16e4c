"""Which memory of a call must lie apart, and what is said where it does not.

Allowed is: arrays that overlap, if nobody writes to them, or if their shadows overlap in the same way; one shadow for
several primals, if nobody writes to them.  A shadow may share memory with a primal, or with a shadow of another lane,
in forward mode only, where nobody writes to either.

Python looks at elements (`api.overlaps`), compiled code at ranges of addresses (`compiled.apart`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from enzyme.errors import ActivityError, EnzymeError, ShadowLayoutError


@dataclass(frozen=True, slots=True)
class Law:
    """What must lie apart, by the positions of two arguments; `writes` tells whose memory the function may write."""

    forward: bool
    writes: Callable[[int], bool]

    def alike(self, one: int, other: int) -> bool:
        """Must shadows share memory exactly as their primals do?"""
        return self.writes(one) or self.writes(other)

    def shadow_from_primal(self, shadow: int, primal: int) -> bool:
        """Must a shadow lie apart from a primal?"""
        return not self.forward or self.alike(shadow, primal)

    def lanes(self, one: int, other: int) -> bool:
        """Must shadows of different lanes lie apart?"""
        return not self.forward or self.alike(one, other)


_ANEW = "make the shadow with make_zero(x)"
_EACH = "make a shadow for each with make_zero(x)"


def own_shadow(what: str = "an argument is its own shadow") -> ActivityError:
    """The error for a value that is given as its own shadow."""
    return ActivityError(
        what=what,
        why="that means a constant where runtime activity is on, for whole arguments and parts of tuples",
        todo=(
            "use Const(x) if no derivative is wanted",
            "use Duplicated(x, make_zero(x)) to differentiate with respect to it",
        ),
    )


def other_layout() -> ShadowLayoutError:
    """The error for a shadow with another shape or other strides."""
    return ShadowLayoutError(
        what="a shadow has another shape or other strides than its primal",
        todo=f"{_ANEW}, or with onehot(x)",
    )


def on_primal(
    what: str = "a shadow shares memory with a primal", path: str = ""
) -> ShadowLayoutError:
    """The error for a shadow over a primal."""
    return ShadowLayoutError(
        what=what,
        why="derivatives would be written over values that are still needed",
        todo=_ANEW,
        path=path,
    )


def between_lanes(
    what: str = "a shadow shares memory with another shadow of its batch",
) -> ShadowLayoutError:
    """The error for shadows of different lanes in one place."""
    return ShadowLayoutError(
        what=what, why="every shadow of a batch is written on its own", todo=_EACH
    )


def shadows_unlike(
    what: str = "arguments share memory that is written to, but their shadows do not share theirs in the same way",
) -> ShadowLayoutError:
    """The error for primals that share memory, and shadows that do not."""
    return ShadowLayoutError(
        what=what,
        why="a write through one argument must reach the derivative of the other",
        todo=(
            "pass views of one shadow, cut out like the primals",
            "or a copy of one of the two: x.copy(); gradient and jacobian take no shadows",
        ),
    )


def shadows_together(
    what: str = "shadows of different arrays share memory, and the function writes to one of the arrays",
) -> ShadowLayoutError:
    """The error for one shadow of several primals."""
    return ShadowLayoutError(
        what=what,
        why="one cell cannot hold two derivatives: where a value is overwritten, its derivative is taken out",
        todo=f"{_EACH}, and add them up afterwards",
    )


def in_one_line(error: EnzymeError) -> str:
    """What is said where there is room for one line: by code that runs."""
    return f"{error.what}; {', '.join(error.todo)}"
