"""What the analyses found out, as text: the function, with each fact beside the instruction that it is about."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from enzyme.engine.analysis.alias import AliasOracle
from enzyme.engine.analysis.objects import UNKNOWN_OBJECT
from enzyme.engine.analysis.overwritten import Overwritten
from enzyme.engine.analysis.typeinfer import TypeAnalysis
from enzyme.engine.ir.instructions import Instruction, Load, Store
from enzyme.engine.ir.module import Block, Function
from enzyme.engine.ir.printer import local_names, operand, print_instruction
from enzyme.engine.ir.values import Value
from enzyme.engine.synthesis.cache_layout import CacheLayout
from enzyme.engine.synthesis.plan import CachePlan

_COLUMN = 60
Names = Mapping[Value, str]


def types_text(types: TypeAnalysis) -> str:
    """The type tree of every value."""
    return _beside("types", types.function, lambda v: "" if v.type.is_void else str(types.of(v)))


def aliasing_text(oracle: AliasOracle) -> str:
    """The objects that pointers point into, and that loads and stores go to."""
    names = local_names(oracle.function)

    def fact_of(value: Value) -> str:
        if value.type.is_pointer:
            origins = oracle.underlying(value)
            if origins == (value,):
                state = "may be kept elsewhere" if oracle.escapes(value) else "known here only"
                return f"an object, {state}"
            return f"in {_listed(origins, names)}"
        if isinstance(value, (Load, Store)):
            return f"at {_listed(oracle.underlying(value.pointer), names)}"
        return ""

    return _beside("objects", oracle.function, fact_of)


def overwritten_text(history: Overwritten, function: Function, blocks: Iterable[Block]) -> str:
    """Whether each load gives the same again in the reverse pass, and if not, why."""
    names = local_names(function)
    live = set(blocks)

    def fact_of(value: Value) -> str:
        if not isinstance(value, Load) or value.parent not in live:
            return ""
        cause = history.cause(value)
        if cause is None:
            return "the same in the reverse pass"
        if cause is value:
            return "volatile"
        if isinstance(cause, Instruction):
            return f"overwritten by {print_instruction(cause, names).strip()}"
        return f"the caller may overwrite {names[cause]}"

    return _beside("overwritten memory", function, fact_of)


def plan_text(plan: CachePlan, function: Function, homes: CacheLayout) -> str:
    """What the reverse pass reads from a cache, and what it computes again."""
    names = local_names(function)

    def fact_of(value: Value) -> str:
        if value in plan.cached:
            loops = [names[loop.header] for loop in homes.of(value).loops]
            return f"cached for each iteration of {', '.join(loops)}" if loops else "cached once"
        return "recomputed" if value in plan.recomputed else ""

    return _beside("cache plan", function, fact_of)


def _listed(origins: Iterable[Value], names: Names) -> str:
    shown = ("unknown memory" if o is UNKNOWN_OBJECT else operand(o, names) for o in origins)
    return ", ".join(shown) or "nothing"


def _beside(title: str, function: Function, fact_of: Callable[[Value], str]) -> str:
    """The function with what is told of its arguments and instructions as comments behind them."""
    names = local_names(function)
    lines = [f"{title} of @{function.name}"]

    def add(text: str, fact: str) -> None:
        lines.append(f"{text:<{_COLUMN}} ; {fact}" if fact else text)

    for argument in function.args:
        add(f"  {argument.type} {names[argument]}", fact_of(argument))
    for block in function.blocks:
        lines.append(f"{names[block][1:]}:")
        for instruction in block.instructions:
            add(f"  {print_instruction(instruction, names).strip()}", fact_of(instruction))
    return "\n".join(lines)
