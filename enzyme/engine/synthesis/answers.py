"""All tables of what stages do with instructions, constants and metadata, in the order of the stages.

Each stands beside the handlers of its stage, which dispatches by it.  The text of `docs/opcodes.md` is made here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from enzyme.engine.analysis.activity import USEFUL, VARIED
from enzyme.engine.analysis.activity_result import MIXING
from enzyme.engine.analysis.addresses import DIVISORS
from enzyme.engine.analysis.alias import WRITES
from enzyme.engine.analysis.chosen import COUNTS
from enzyme.engine.analysis.inductions import STEPS
from enzyme.engine.analysis.lifetimes import LEADS_ON, LOOKS
from enzyme.engine.analysis.modref import MEMORY
from enzyme.engine.analysis.objects import OF_ADDRESSES
from enzyme.engine.analysis.pointer_uses import CONSTANT_ORIGINS, ORIGINS, USES
from enzyme.engine.analysis.typecells import CONSTANT_TYPES
from enzyme.engine.analysis.typerules import TYPES
from enzyme.engine.analysis.value_ranges import RANGES, TAKE_ONE
from enzyme.engine.derivatives.casts import BIT_TRICKS
from enzyme.engine.ir.dispatch import Dispatch, Selection
from enzyme.engine.ir.opcodes import CONSTANTS, INSTRUCTIONS, METADATA, ConstantKind, Opcode
from enzyme.engine.ir.printer import CONSTANT_PRINTER, PRINTER
from enzyme.engine.ir.reading.bodies import READER
from enzyme.engine.ir.simplify import EFFECTS
from enzyme.engine.ir.verifier import OPERAND_TYPES
from enzyme.engine.preprocess.cleanup import DROPPED_METADATA
from enzyme.engine.preprocess.unspeculate import HAZARDOUS, MOVABLE
from enzyme.engine.synthesis.adjoints import ADJOINTS
from enzyme.engine.synthesis.cache_layout import HOISTABLE
from enzyme.engine.synthesis.caught import DECIDED
from enzyme.engine.synthesis.constant_shadows import ZEROS
from enzyme.engine.synthesis.discarded import WITHOUT_ADJOINT
from enzyme.engine.synthesis.failures import PASSED_ON
from enzyme.engine.synthesis.forward import TANGENTS
from enzyme.engine.synthesis.late_factors import NO_ADJOINT
from enzyme.engine.synthesis.lost_addresses import LOST
from enzyme.engine.synthesis.plan import POINTER_STEPS, RECIPES
from enzyme.engine.synthesis.preconditions import CONSTANT_CONSTRUCTS, CONSTRUCTS
from enzyme.engine.synthesis.reverse_emitter import RELOADED
from enzyme.engine.synthesis.shadows import MADE_OF_OTHERS, MIRRORED, SHADOWS

OF_INSTRUCTIONS: tuple[Dispatch[Any], ...] = (
    READER,
    OPERAND_TYPES,
    EFFECTS,
    CONSTRUCTS,
    TYPES,
    ORIGINS,
    USES,
    MEMORY,
    WRITES,
    VARIED,
    USEFUL,
    RANGES,
    LOST,
    SHADOWS,
    RECIPES,
    TANGENTS,
    ADJOINTS,
    PRINTER,
)
OF_CONSTANTS: tuple[Dispatch[Any], ...] = (
    CONSTANT_CONSTRUCTS,
    CONSTANT_TYPES,
    CONSTANT_ORIGINS,
    ZEROS,
    CONSTANT_PRINTER,
)
OF_METADATA: tuple[Dispatch[Any], ...] = (DROPPED_METADATA, RELOADED)

SELECTIONS: tuple[Selection, ...] = (
    BIT_TRICKS,
    MOVABLE,
    HAZARDOUS,
    STEPS,
    DIVISORS,
    COUNTS,
    LEADS_ON,
    LOOKS,
    OF_ADDRESSES,
    MIXING,
    TAKE_ONE,
    MIRRORED,
    MADE_OF_OTHERS,
    WITHOUT_ADJOINT,
    NO_ADJOINT,
    POINTER_STEPS,
    HOISTABLE,
    DECIDED,
    PASSED_ON,
)


def blanks() -> Iterator[tuple[str, str]]:
    """What no answer is given for: stage and entry."""
    for table in (*OF_INSTRUCTIONS, *OF_CONSTANTS, *OF_METADATA):
        yield from ((table.stage, name) for name in table.blanks())


_HEAD = """\
# Instructions, constants and metadata

What the engine's model of the IR holds (`engine/ir/opcodes.py`), and what each stage does with it. These are the
tables that the stages dispatch by; each stands beside the handlers of its stage. This page is written by
`python -m tests.opcodes.document`, and `docs/extending.md` shows how an instruction is added.

*handled*: there is code for it, and where an error is named, it ends in that error at times. *ignored*: it does not
concern the stage. An error alone: it ends in that error. *refused by* another stage: where it stands in a function
that is differentiated it ends there, so that nothing hangs on it here.
"""
_SHAPES = """
Operands: `i` integer, `f` float, `p` pointer, `c` condition, `v` any value, `g` aggregate, `x` vector, `b` block,
`t` token; `*` as often as it comes, `?` may be missing. Arithmetic, casts and comparisons take vectors, too.
"""


def document() -> str:
    """The text of `docs/opcodes.md`."""
    parts = [_HEAD, "\n## Instructions\n", _SHAPES]
    groups = dict.fromkeys(o.group for o in INSTRUCTIONS.values())
    parts += [_listed(g, [o for o in INSTRUCTIONS.values() if o.group == g]) for g in groups]
    parts += ["\n## Stages\n", *map(_answers, OF_INSTRUCTIONS)]
    parts += ["\n## Constants\n", _table("constant", _constants(CONSTANTS.values()))]
    parts += map(_answers, OF_CONSTANTS)
    parts += ["\n## Metadata\n\n"]
    parts += ["Kinds that are not listed stay at their instruction as they are.\n"]
    parts += [_table("kind", ((f"`{m.name}`", m.tells) for m in METADATA.values()), "tells")]
    parts += map(_answers, OF_METADATA)
    parts += ["\n## What passes look for\n\n", "All else they leave as it is.\n"]
    parts += [
        _table("stage", ((f"`{s.stage}`: {s.does}", _names(s)) for s in SELECTIONS), "opcodes")
    ]
    return "".join(parts)


def _names(names: Iterable[str]) -> str:
    """In the order of the model."""
    given = set(names)
    order = [n for n in (*INSTRUCTIONS, *CONSTANTS, *METADATA) if n in given]
    return ", ".join(f"`{n}`" for n in dict.fromkeys(order))


def _table(first: str, rows: Iterable[tuple[str, str]], second: str = "operands → result") -> str:
    lines = [f"| {one} | {other} |\n" for one, other in rows]
    return "".join([f"\n| {first} | {second} |\n|---|---|\n", *lines])


def _shape(described: Opcode | ConstantKind) -> str:
    shape = f"{described.operands} → {described.result}" if described.result else described.operands
    return f"`{shape.strip()}`" if shape.strip() else ""


def _listed(group: str, members: list[Opcode]) -> str:
    rows = [(f"`{o.name}`", f"{_shape(o)} | {o.effect}") for o in members]
    lines = [f"| {one} | {rest} |\n" for one, rest in rows]
    head = f"\n### {group.capitalize()}\n\n| instruction | operands → result | effect |\n|---|---|---|\n"
    return "".join([head, *lines])


def _constants(kinds: Iterable[ConstantKind]) -> Iterator[tuple[str, str]]:
    for kind in kinds:
        name = f"`{kind.name}`" + (" (expression)" if kind.is_expression else "")
        yield name, _shape(kind)


def _answers(table: Dispatch[Any]) -> str:
    """One stage: its answers, with the entries that have them."""
    found: dict[str, list[str]] = {}
    for name in table.vocabulary:
        answer = table.answers[name].replace(f"'{name}'", "…")
        found.setdefault(answer, []).append(name)
    rows = ((answer, _names(names)) for answer, names in found.items())
    return f"\n### `{table.stage}`: {table.does}\n" + _table("answer", rows, "of")


__all__ = ["OF_CONSTANTS", "OF_INSTRUCTIONS", "OF_METADATA", "SELECTIONS", "blanks", "document"]
