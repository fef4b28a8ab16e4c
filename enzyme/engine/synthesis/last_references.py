"""The releases by which a program may give away the last reference to an object that it did not make.

So it does where it replaces an item of a list, or takes one out. The reverse pass still needs the shadow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from enzyme.engine.analysis.cfg import ControlFlow
from enzyme.engine.analysis.dominance import Dominators
from enzyme.engine.ir.instructions import Call, Instruction
from enzyme.engine.ir.module import Function


def last_references(
    function: Function, releases: Iterable[Call], change: Callable[[Instruction], int]
) -> set[Call]:
    """Those of the releases that no retain of the same pointer comes before on every way there.

    `change` is what an instruction does to the references of its first operand: one more, one less, nothing.
    """
    releases = list(releases)
    if not releases:
        return set()
    dominators = Dominators(ControlFlow(function))
    place = {i: k for block in function.blocks for k, i in enumerate(block.instructions)}

    def comes_before(first: Instruction, second: Instruction) -> bool:
        one, other = first.parent, second.parent
        assert one is not None and other is not None
        if one is other:
            return place[first] < place[second]
        return dominators.dominates(one, other)

    def kept(release: Call) -> int:
        changes = ((user, change(user)) for user in release.arguments[0].users)
        return sum(by for user, by in changes if by and comes_before(user, release))

    return {release for release in releases if kept(release) <= 0}
