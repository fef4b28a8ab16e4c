"""What the reverse pass can have from another place of the program than where it was loaded.

What a loop stored in a work array and another one loads (`analysis.left_values`) is computed again as the first loop
computed it, if that starts from memory that stays: ``xc[i]`` is ``x[n, i] - mean[i]``. Otherwise it is looked up
where it is kept of the first loop, under the index that the second one has.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from enzyme.engine.analysis.integer_sums import minus
from enzyme.engine.analysis.left_values import LeftValue
from enzyme.engine.analysis.loop_indices import LoopIndices
from enzyme.engine.analysis.loops import Loop, LoopForest
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.clone import clone_instruction
from enzyme.engine.ir.instructions import Instruction, Load, Phi
from enzyme.engine.ir.types import I64
from enzyme.engine.ir.values import ConstInt, Value
from enzyme.engine.preprocess.sums import write_sum
from enzyme.engine.synthesis.cache_layout import CacheLayout
from enzyme.engine.synthesis.plan import Kept, Recipes

_MOST_INSTRUCTIONS = 12


@dataclass(slots=True)
class Elsewhere:
    """Answers for one function. What it writes in front of a load is used by the reverse pass alone."""

    left_for: Callable[[Load], LeftValue | None]
    indices: LoopIndices
    forest: LoopForest
    counters: Mapping[Loop, Phi]

    def find(self, value: Value, recipes: Recipes, homes: CacheLayout) -> Value | Kept | None:
        """Another value that is the same, or where it is kept, or None."""
        if isinstance(value, Phi) and value.type is I64 and not recipes.is_shadow(value):
            return self._of_counters(value)
        if not isinstance(value, Load) or recipes.is_shadow(value) or value.type.is_pointer:
            return None
        left = self.left_for(value)
        if left is None or not isinstance(left.value, Instruction) or value.parent is None:
            return None
        source, loops = left.value, list(left.indices)
        if source.parent is None or source.parent not in loops[0]:
            return source
        b = Builder()
        b.before(value)
        copied = _Copied(self, recipes, loops)
        again = copied.add(source)
        if not again and not self._is_kept_for(source, loops, recipes, homes):
            return None
        indices = {
            loop: write_sum(b, index, self.indices, self.counters)
            for loop, index in left.indices.items()
        }
        return copied.write(source, b, indices) if again else Kept(source, indices)

    def _is_kept_for(
        self, source: Instruction, loops: Sequence[Loop], recipes: Recipes, homes: CacheLayout
    ) -> bool:
        """Can what is kept of a value be looked up by the counters of these loops?"""
        if source.parent is None or recipes.forest.loop_of(source.parent) not in loops:
            return False
        home = homes.of(source)
        return all(
            loop not in homes.fused and (loop not in home.loops or loop in home.indexed)
            for loop in loops
        )

    def _of_counters(self, phi: Phi) -> Value | None:
        """An integer as a sum of loop counters, or of the numbers up to one: ``li += n - i`` in each iteration."""
        block, forest = phi.parent, self.forest
        assert block is not None
        loop = forest.loop_of(block)
        b = Builder(block, block.first_non_phi())
        if loop is None or loop.header is not block:
            found = self.indices.of(phi, block)
            if found == self.indices.itself(phi):
                return None
            return write_sum(b, found, self.indices, self.counters)
        if loop.preheader is None or len(loop.latches) != 1:
            return None
        (latch,) = loop.latches
        number = self.indices.counter(loop)
        step = minus(self.indices.of(phi.value_from(latch), latch), self.indices.itself(phi))
        first = {product: n for product, n in step.items() if number not in product}
        growing = [(product, n) for product, n in step.items() if number in product]
        if any(product.count(number) > 1 for product, _ in growing):
            return None
        rest = {tuple(n for n in product if n != number): factor for product, factor in growing}
        for total in (first, rest):
            homes = (self.indices.home[n] for product in total for n in product)
            if any(home is not None and loop in home.ancestors() for home in homes):
                return None
        counter = self.counters[loop]
        half = b.binary("lshr", counter, ConstInt(I64, 1))
        odd = b.binary("or", b.isub(counter, ConstInt(I64, 1)), ConstInt(I64, 1))
        # One of two neighbours is even: half of their product, whatever overflows.
        up_to = b.imul(half, odd)
        made = b.imul(write_sum(b, first, self.indices, self.counters), counter)
        made = b.iadd(made, b.imul(write_sum(b, rest, self.indices, self.counters), up_to))
        return b.iadd(phi.value_from(loop.preheader), made)


class _Copied:
    """What is computed again as an iteration of a loop computed it: its instructions, operands first."""

    def __init__(self, elsewhere: Elsewhere, recipes: Recipes, loops: Sequence[Loop]) -> None:
        self.recipes = recipes
        self.loops = loops
        self.counters = {elsewhere.counters[loop]: loop for loop in loops}
        self.instructions: dict[Instruction, None] = {}

    def add(self, value: Value) -> bool:
        """Can the value be computed again? It is noted if so."""
        if not isinstance(value, Instruction) or value.parent not in self.loops[0]:
            return True
        if value in self.counters or value in self.instructions:
            return True
        recipes = self.recipes
        if recipes.is_shadow(value) or value in recipes.fleeting or value in recipes.never_kept:
            return False
        if len(self.instructions) >= _MOST_INSTRUCTIONS or recipes.moves(value):
            return False
        if value in recipes.in_memory or recipes.same.get(value) is not None:
            return False  # had in another way than by its operands
        if isinstance(value, Phi):
            induction = recipes.inductions.get(value)
            if induction is None or induction.loop not in self.loops or value.type is not I64:
                return False
        inputs = recipes.inputs(value)
        if inputs is None or not all(map(self.add, inputs)):
            return False
        self.instructions[value] = None
        return True

    def write(self, source: Instruction, b: Builder, indices: Mapping[Loop, Value]) -> Value:
        """A value that was added in these iterations of the loops."""
        mapping: dict[Value, Value] = {c: indices[loop] for c, loop in self.counters.items()}
        for value in self.instructions:
            if isinstance(value, Phi):
                induction = self.recipes.inductions[value]
                step = mapping.get(induction.step, induction.step)
                steps = b.imul(indices[induction.loop], step)
                start = mapping.get(induction.start, induction.start)
                made: Value = b.isub(start, steps) if induction.negative else b.iadd(start, steps)
            else:
                made = b.add(clone_instruction(value, mapping))
                if isinstance(made, Load):
                    self.recipes.stays(made)
            mapping[value] = made
        return mapping[source]
