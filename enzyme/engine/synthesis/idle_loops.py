"""Loops whose result a choice may drop: ``max(0.0, 1.0 - y * dot)``.

A unit of a network that is not active, or an observation on the right side of its margin, has an adjoint of zero, and
the reverse of the loop that computed it would add zeros. Where a result of a loop is an arm of a select, the reverse
pass looks whether all that it would go back with is zero, and passes over a loop that is not short. (LLVM makes selects
of what the program wrote as branches, so there is no branch that tells; `idle_paths` follows those.)

Conditions: nothing in the loop stores to shadows, has an adjoint of its own, or may raise an exception in the reverse
pass, and no cache that grows counts its iterations.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass

from enzyme.engine.analysis.activity_result import ActivityResult
from enzyme.engine.analysis.loops import Loop
from enzyme.engine.ir.dispatch import Selection
from enzyme.engine.ir.instructions import Call, Instruction, Load, Phi
from enzyme.engine.ir.module import Block
from enzyme.engine.ir.opcodes import opcodes
from enzyme.engine.ir.types import FloatType
from enzyme.engine.ir.values import ConstInt, Value
from enzyme.engine.synthesis.idle_paths import adds_alone
from enzyme.engine.synthesis.prepare import CanonicalFunction

BETWEEN = Selection(
    "idle_loops",
    "it may stand between a loop and the choice of its result",
    (*opcodes("float arithmetic"), "fptrunc", "fpext"),
)
_MOST_BETWEEN = 8
# A loop that is left with a smaller count is short: a branch that cannot be foretold costs more than to go back. Sums
# and products are done for many numbers at once; there it depends on how many shadows are added to.
_FEW, _FEW_SIMPLE = 7, 30


@dataclass(slots=True)
class IdleLoops:
    """Finds such loops of one function; the containers are those of `IdleReversePaths`, and the `fused` loops."""

    p: CanonicalFunction
    activity: ActivityResult
    order: dict[Block, list[Instruction]]
    has_adjoint: Callable[[Instruction], bool]
    uncountable: Container[Loop]
    failing: Container[Loop]
    fused: Container[Loop]

    def find(self) -> dict[Loop, list[Instruction]]:
        """The active numbers of each loop that are used behind it."""
        found: dict[Loop, list[Instruction]] = {}
        for block in self.p.blocks:
            for i in self.order.get(block, ()):
                if i.opcode != "select" or not isinstance(i.type, FloatType):
                    continue
                for arm in i.operands[1:]:
                    for loop in self._loops_behind(arm, i) if self.activity.is_active(i) else ():
                        if loop not in found and self._is_quiet(loop):
                            found[loop] = self._left_behind(loop)
        return found

    def _loops_behind(self, arm: Value, select: Instruction) -> list[Loop]:
        """Loops that are over, from which the arm comes by sums and products."""
        forest = self.p.forest
        assert select.parent is not None
        around = forest.loop_of(select.parent)
        found: dict[Loop, None] = {}
        seen: set[Instruction] = set()
        pending = [arm]
        while pending and len(seen) < _MOST_BETWEEN:
            value = pending.pop()
            if not isinstance(value, Instruction) or value.parent is None or value in seen:
                continue
            seen.add(value)
            if forest.loop_of(value.parent) is not around:
                continue
            if isinstance(value, Phi):
                if around is not None and around.header is value.parent:
                    continue
                inner = (forest.loop_of(block) for block in value.blocks)
                found.update((b, None) for b in inner if b is not None and b.parent is around)
            elif value.opcode not in BETWEEN:
                continue
            pending.extend(value.operands)
        return list(found)

    def _is_quiet(self, loop: Loop) -> bool:
        count = self.p.trips.get(loop)
        if loop.preheader is None or loop in self.fused:
            return False
        if isinstance(count, ConstInt) and count.value < self.few(loop) and not loop.children:
            return False
        within = [each for each in self.p.forest.loops if loop in each.ancestors()]
        if any(
            each in self.uncountable or each in self.failing or each in self.fused
            for each in within
        ):
            return False
        return all(
            adds_alone(i, self.activity, self.has_adjoint)
            for b in loop.blocks
            for i in self.order.get(b, ())
        )

    def few(self, loop: Loop) -> int:
        """How many iterations of a loop without others in it are few."""
        instructions = [i for block in loop.blocks for i in self.order.get(block, ())]
        if any(isinstance(i, Call) for i in instructions):
            return _FEW
        added = sum(isinstance(i, Load) and self.activity.is_active(i) for i in instructions)
        return max(_FEW, _FEW_SIMPLE // max(1, added))

    def _left_behind(self, loop: Loop) -> list[Instruction]:
        return [
            i
            for b in loop.blocks
            for i in self.order.get(b, ())
            if self.activity.is_active(i) and any(user.parent not in loop for user in i.users)
        ]
