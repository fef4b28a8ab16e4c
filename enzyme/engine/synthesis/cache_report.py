"""What a reverse pass keeps of the forward pass, and why: for people, not for the compiler.

Written only on demand, when the derivative of a function is complete: one `FunctionCacheReport` per
function that was differentiated, callees that stay calls included.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from enzyme.engine.analysis.loops import Loop
from enzyme.engine.ir.instructions import Call, Instruction, Load, Phi
from enzyme.engine.ir.metadata import location_of
from enzyme.engine.ir.module import Block
from enzyme.engine.ir.values import Value
from enzyme.source import SourceLoc

if TYPE_CHECKING:
    from enzyme.engine.synthesis.array_versions import Version
    from enzyme.engine.synthesis.reverse import ReverseSynthesis


@dataclass(frozen=True, slots=True)
class KeptValue:
    """A value that forward and reverse pass share: its LLVM name, type and size in bytes, where it
    is computed (None: not known) and why it is kept."""

    name: str
    type: str
    size: int
    where: SourceLoc | None
    why: str


@dataclass(frozen=True, slots=True)
class Storage:
    """Values with the same room: for each iteration of the `loops` (where they begin, outermost
    first, None where that is not known), or one for each if there are none.

    `kind` is ``static`` (one allocation before the loop nest), ``growing`` (the number of
    iterations is not known before), ``copy`` (an array as it was in front of its inner loops) or ``stack`` (outside
    loops). There are fewer bytes than the values have together
    where an iteration computes some of these only, which have the same room.
    """

    loops: tuple[SourceLoc | None, ...]
    kind: str
    bytes_per_iteration: int
    values: tuple[KeptValue, ...]


@dataclass(frozen=True, slots=True)
class FunctionCacheReport:
    """One function: what is kept, what is computed again, and the two analyses as text."""

    function: str
    storages: tuple[Storage, ...]
    recomputed: tuple[KeptValue, ...]
    activity: str = field(repr=False)
    types: str = field(repr=False)


def alike(values: Iterable[KeptValue]) -> list[tuple[KeptValue, int]]:
    """Values of which the same is to be said, once, and how many they are: those of iterations that run at once."""
    found: dict[KeptValue, int] = {}
    for value in values:
        said = replace(value, name="")
        found[said] = found.get(said, 0) + 1
    return list(found.items())


@dataclass(slots=True)
class Notes:
    """What is to be said of values and loops, taken down before the synthesis changes the function."""

    values: dict[Value, KeptValue] = field(default_factory=dict)
    copies: dict[Value, KeptValue] = field(default_factory=dict)
    loops: dict[Loop, SourceLoc | None] = field(default_factory=dict)
    function: str = ""


def take_notes(synthesis: ReverseSynthesis) -> Notes:
    """Describe every value that is kept or computed again."""
    plan, p = synthesis.plan, synthesis.p
    values = {v: _described(v, _reason(v, synthesis), synthesis) for v in plan.cached}
    values.update((v, _described(v, "", synthesis)) for v in plan.recomputed)
    copies: dict[Value, KeptValue] = {
        version.copy: _copied(version, synthesis)
        for value in plan.cached
        if (version := synthesis.versions.of_copy.get(value)) is not None
    }
    loops = {loop: _first_place(loop.header, *loop.blocks) for loop in p.forest.loops}
    where = _first_place(*p.blocks)
    name = p.primal.name if where is None else where.function
    return Notes(values, copies, loops, name)


def cache_report_of(synthesis: ReverseSynthesis, activity: str, types: str) -> FunctionCacheReport:
    """Describe a finished synthesis; the texts of the analyses were made before it."""
    cache, notes = synthesis.cache, synthesis.notes
    storages = []
    if cache.scalars:
        kept = tuple(notes.values[value] for value in cache.scalars)
        storages.append(Storage((), "stack", sum(v.size for v in kept), kept))
    for (home, _), region in cache.regions.items():
        kept = tuple(notes.values[value] for value in region.values)
        kind = "growing" if region.growing else "static"
        loops = tuple(notes.loops[loop] for loop in home.loops)
        storages.append(Storage(loops, kind, region.entry_size, kept))
    for version in cache.kept_versions():
        loops = tuple(notes.loops[loop] for loop in version.loops)
        kept = (notes.copies[version.copy],)
        storages.append(Storage(loops, "copy", version.element, kept))
    again = tuple(notes.values[v] for v in synthesis.plan.recomputed)
    return FunctionCacheReport(notes.function, tuple(storages), again, activity, types)


def _described(value: Value, why: str, synthesis: ReverseSynthesis) -> KeptValue:
    where = place_of(value) if isinstance(value, Instruction) else None
    size = 0 if value.type.is_void else synthesis.layout.size_of(value.type)
    return KeptValue(value.name, str(value.type), size, where, why)


def _copied(version: Version, synthesis: ReverseSynthesis) -> KeptValue:
    load = next(iter(version.loads))
    why = f"all that is read of an array; {_overwritten(load, synthesis)}"
    return KeptValue("version", str(load.type), version.element, place_of(load), why)


def _first_place(*blocks: Block) -> SourceLoc | None:
    places = (place_of(i) for block in blocks for i in block.instructions)
    return next((place for place in places if place is not None), None)


def place_of(instruction: Instruction) -> SourceLoc | None:
    """Where an instruction stands, if its line is known."""
    found = location_of(instruction)
    return found if found is not None and found.line else None


def _reason(value: Value, synthesis: ReverseSynthesis) -> str:
    if value in synthesis.versions.of_copy:
        return "where the copy of an array is"
    if value in synthesis.recipes.kept_for_others:
        return "read again from memory that is overwritten"
    if synthesis.recipes.inputs(value) is not None:
        return "fewer bytes than the values it is computed from"
    if isinstance(value, Load):
        return _overwritten(value, synthesis)
    if isinstance(value, Call):
        name = value.callee_name.removeprefix("llvm.").removesuffix(".f64").removesuffix(".f32")
        name = "tanh" if name == "enzyme.tanh_packed" else name
        return f"cheaper to keep than to call {name or 'a function'} again"
    if isinstance(value, Phi):
        if any(value in counts.values() for counts in synthesis.p.exit_counts.values()):
            return "how often a loop ran is known only when it is over"
        if any(value is phi for phi, _ in synthesis.p.origin.values()):
            return "the reverse pass takes the branch that was taken"
        if any(value.parent is loop.header for loop in synthesis.p.forest.loops):
            return "carried from one iteration to the next"
        return "depends on the branch that was taken"
    return "only the forward pass knows it"


def _overwritten(load: Load, synthesis: ReverseSynthesis) -> str:
    writer = synthesis.spec.overwritten_by(load)
    if not isinstance(writer, Instruction) or writer is load:
        return "the caller may overwrite its memory"
    place = place_of(writer)
    return "its memory is overwritten" + ("" if place is None else f" in line {place.line}")
