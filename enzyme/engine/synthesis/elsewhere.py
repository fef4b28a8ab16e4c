"""What the reverse pass can have from another place of the program than where it was loaded.

What a loop stored in a work array and another one loads (`analysis.left_values`) is computed again as the first loop
computed it, if that starts from memory that stays: ``xc[i]`` is ``x[n, i] - mean[i]``. Otherwise it is looked up
where it is kept of the first loop, under the index that the second one has.

A state that each step of a loop stores and the next one loads (`analysis.previous_values`) is had from what is kept of
the step before: ``h[j]`` is ``o * tanh(c[j])`` of that, where both factors are kept for their own sake, and of the
first step what was there in front of the loop. Where a factor is not kept anyhow, the number itself is.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from enzyme.engine.analysis.dominance import Dominators
from enzyme.engine.analysis.integer_sums import Sum, minus
from enzyme.engine.analysis.left_values import LeftValue
from enzyme.engine.analysis.loop_indices import LoopIndices
from enzyme.engine.analysis.loops import Loop, LoopForest
from enzyme.engine.analysis.previous_values import Copied, PreviousValue
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.clone import clone_instruction
from enzyme.engine.ir.instructions import Instruction, Load, Phi
from enzyme.engine.ir.types import I8, I64
from enzyme.engine.ir.values import Constant, ConstInt, Value, zero_of
from enzyme.engine.preprocess.sums import write_sum
from enzyme.engine.synthesis.cache_layout import CacheLayout
from enzyme.engine.synthesis.plan import Kept, Recipes

_MOST_INSTRUCTIONS = 12
_TRAPS = frozenset("load udiv sdiv urem srem".split())


@dataclass(slots=True)
class Elsewhere:
    """Answers for one function. What it writes in front of a load is used by the reverse pass alone."""

    left_for: Callable[[Load], LeftValue | None]
    previous_for: Callable[[Load], PreviousValue | None]
    indices: LoopIndices
    forest: LoopForest
    dominators: Dominators
    counters: Mapping[Loop, Phi]

    def find(
        self, value: Value, recipes: Recipes, homes: CacheLayout, kept: Collection[Value]
    ) -> Value | Kept | None:
        """Another value that is the same, or where it is kept, or None; these are `kept` now."""
        if isinstance(value, Phi) and value.type is I64 and not recipes.is_shadow(value):
            return self._of_counters(value)
        if not isinstance(value, Load) or recipes.is_shadow(value) or value.type.is_pointer:
            return None
        left = self.left_for(value)
        if left is None:
            return self._of_previous(value, recipes, homes, kept)
        if not isinstance(left.value, Instruction) or not self._are_there(left, value):
            return None
        source, loops = left.value, list(left.indices)
        if source.parent not in loops[0] and self.is_computed(source, value):
            return source
        b = Builder()
        b.before(value)
        copied = _Copied(self, value, recipes, loops, homes)
        again = copied.add(source)
        if not again and not self.is_kept_for(source, loops, recipes, homes):
            return None
        indices = {
            loop: write_sum(b, index, self.indices, self.counters)
            for loop, index in left.indices.items()
        }
        return copied.write(source, b, indices) if again else Kept(source, indices)

    def _of_previous(
        self, load: Load, recipes: Recipes, homes: CacheLayout, kept: Collection[Value]
    ) -> Value | None:
        """What the iteration before has left, or what was there before the loop."""
        if load in recipes.looked_up or not self._is_read_once(load, homes):
            return None
        found = self.previous_for(load)
        if found is None or not isinstance(found.last.value, Instruction) or load.parent is None:
            return None
        before = found.before
        places = [found.count, *([before.place] if isinstance(before, Copied) else [])]
        if not self._are_there(found.last, load) or not all(
            self._is_there(place, load) for place in places
        ):
            return None
        usable = {v for v in kept if v is not load and self._may_be_looked_up(v, recipes)}
        loops = list(found.last.indices)

        def has_room(value: Instruction) -> bool:
            home = homes.of(value)
            return (
                home.growing is None
                and home.outer is not None
                and self._is_before(home.outer, load)
                and all(
                    homes.has_room(loop, home.outer) for loop in loops[1:] if loop in home.loops
                )
            )

        last = _Copied(self, load, recipes, loops, homes, usable, has_room)
        source = found.last.value
        if source.parent not in loops[0] or not last.add(source):
            return None
        if load.parent not in found.loop and any(i.opcode in _TRAPS for i in last.instructions):
            return None  # what it needs is not there if the loop has not run
        b = Builder()
        b.before(load)
        first = self._first(found.before, load, recipes, homes, usable, b)
        if first is None:
            return None
        count = write_sum(b, found.count, self.indices, self.counters)
        runs = b.icmp("sgt", count, ConstInt(I64, 0))
        indices = {
            loop: write_sum(b, index, self.indices, self.counters)
            for loop, index in found.last.indices.items()
        }
        indices[loops[0]] = b.select(runs, indices[loops[0]], ConstInt(I64, 0))
        made = b.select(runs, last.write(source, b, indices, load), first)
        assert isinstance(made, Instruction)
        recipes.stand_ins[made] = load
        return made

    def _first(
        self,
        before: LeftValue | Copied,
        load: Load,
        recipes: Recipes,
        homes: CacheLayout,
        usable: Collection[Value],
        b: Builder,
    ) -> Value | None:
        """What the load finds if no iteration has stored yet."""
        if isinstance(before, Copied):
            if before.source is None:
                return zero_of(load.type)
            place = write_sum(b, before.place, self.indices, self.counters)
            made = b.load(load.type, b.gep(I8, before.source, [place]), align=1)
            recipes.stays(made)
            return made
        if not isinstance(before.value, Instruction):
            return before.value if isinstance(before.value, Constant) else None
        if not self._are_there(before, load):
            return None
        loops = list(before.indices)
        if before.value.parent not in loops[0] and self.is_computed(before.value, load):
            return before.value
        copied = _Copied(self, load, recipes, loops, homes, usable, lambda _: True)
        if not copied.add(before.value):
            return None
        indices = {
            loop: write_sum(b, index, self.indices, self.counters)
            for loop, index in before.indices.items()
        }
        return copied.write(before.value, b, indices, load)

    def _is_read_once(self, load: Load, homes: CacheLayout) -> bool:
        """Is what would be kept of a load asked for once? Where a loop reads it again and again, a number that is kept
        is read faster than computed."""
        assert load.parent is not None
        loop = self.forest.loop_of(load.parent)
        return loop is not None and homes.of(load).depth == loop.depth

    def _may_be_looked_up(self, value: Value, recipes: Recipes) -> bool:
        return (
            isinstance(value, Instruction)
            and recipes.same.get(value) is None
            and value not in recipes.in_memory
            and not recipes.is_shadow(value)
        )

    def _are_there(self, left: LeftValue, load: Load) -> bool:
        return all(self._is_there(index, load) for index in left.indices.values())

    def _is_there(self, total: Sum, load: Load) -> bool:
        """Is all that a sum consists of computed on every way to a load?"""
        assert load.parent is not None
        for number in {n for product in total for n in product}:
            what = self.indices.what(number)
            if isinstance(what, Loop):
                there = load.parent in what
            elif isinstance(what, Instruction):
                there = self.is_computed(what, load)
            else:
                there = isinstance(what, Value) or self._is_there(what, load)
            if not there:
                return False
        return True

    def is_computed(self, value: Instruction, load: Load) -> bool:
        """Is a value computed on every way to a load?"""
        assert load.parent is not None
        return value.parent is not None and self.dominators.dominates(value.parent, load.parent)

    def _is_before(self, loop: Loop, load: Load) -> bool:
        """Is control in front of a loop before it comes to the load?"""
        assert load.parent is not None
        return loop.preheader is not None and self.dominators.dominates(loop.preheader, load.parent)

    def is_kept_for(
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
    """What is computed again as an iteration of a loop computed it: its instructions, operands first. Some may be
    looked up (`usable`) where there `has_room` for all that may be asked for."""

    def __init__(
        self,
        elsewhere: Elsewhere,
        load: Load,
        recipes: Recipes,
        loops: Sequence[Loop],
        homes: CacheLayout,
        usable: Collection[Value] = (),
        has_room: Callable[[Instruction], bool] = lambda _: False,
    ) -> None:
        self.elsewhere = elsewhere
        self.load = load
        self.recipes = recipes
        self.loops = loops
        self.homes = homes
        self.usable = usable
        self.has_room = has_room
        self.counters = {elsewhere.counters[loop]: loop for loop in loops}
        self.instructions: dict[Instruction, None] = {}

    def add(self, value: Value) -> bool:
        """Can the value be computed again? It is noted if so."""
        if not isinstance(value, Instruction) or value.parent is None:
            return True
        if value.parent not in self.loops[0] and self.elsewhere.is_computed(value, self.load):
            return True
        if value in self.counters or value in self.instructions:
            return True
        recipes = self.recipes
        if (
            value in self.usable
            and self.has_room(value)
            and self.elsewhere.is_kept_for(value, self.loops, recipes, self.homes)
        ):
            self.instructions[value] = None
            return True
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

    def write(
        self,
        source: Instruction,
        b: Builder,
        indices: Mapping[Loop, Value],
        instead_of: Load | None = None,
    ) -> Value:
        """A value that was added in these iterations of the loops."""
        mapping: dict[Value, Value] = {c: indices[loop] for c, loop in self.counters.items()}
        for value in self.instructions:
            if value in self.usable:
                unknown = Instruction("freeze", value.type, [zero_of(value.type)], value.name)
                made: Value = b.add(unknown)
                self.recipes.look_up(unknown, Kept(value, indices))
            elif isinstance(value, Phi):
                induction = self.recipes.inductions[value]
                step = mapping.get(induction.step, induction.step)
                steps = b.imul(indices[induction.loop], step)
                start = mapping.get(induction.start, induction.start)
                made = b.isub(start, steps) if induction.negative else b.iadd(start, steps)
            else:
                made = b.add(clone_instruction(value, mapping))
                if isinstance(made, Load):
                    self.recipes.stays(made)
            mapping[value] = made
            if instead_of is not None and isinstance(made, Instruction):
                self.recipes.stand_ins[made] = instead_of
        return mapping[source]
