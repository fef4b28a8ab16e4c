"""The stages of the pipeline in their order, as data.

Passes are rows of `prepare.MODULE_PASSES` and `prepare.PASSES`, from which they run; the rows here say where all
other stages stand.  Whoever runs one says so with `support.watching.reached` and its name; `printing` shows what it
made.  A test compares what is reached with this table.
"""

from __future__ import annotations

from dataclasses import dataclass

from enzyme.engine.synthesis.prepare import MODULE_PASSES, PASSES

IR = "IR"
FACTS = "facts"


@dataclass(frozen=True, slots=True)
class Stage:
    """`shows` is what there is to see after it, `IR` or the `FACTS` of an analysis, `modes` those that have it."""

    name: str
    does: str
    shows: str = IR
    modes: str = "both"


STAGES: tuple[Stage, ...] = (
    Stage("typing_lowering", "the front end lowers the whole program to one module"),
    Stage("optimise_before_ad", "LLVM's scalar pipeline, inlining, tidy loops"),
    Stage(
        "stack_arrays",
        "small arrays move to the stack, also at likely lengths, and LLVM simplifies again",
    ),
    Stage("parse", "the text becomes our own IR"),
    *(Stage(p.name, p.does) for p in MODULE_PASSES),
    Stage("copy", "a private copy of one function, cut in front of what is refused"),
    *(Stage(p.name, p.does, modes="reverse" if p.reverse_only else "both") for p in PASSES),
    Stage("address_copies", "pointers that are moved as integers are moved as pointers"),
    Stage("types", "what every value is, and the bytes behind every pointer", FACTS),
    Stage("aliasing", "which objects pointers point into", FACTS),
    Stage("activity", "what has a derivative", FACTS),
    Stage("overwritten", "which loads give the same again in the reverse pass", FACTS, "reverse"),
    Stage("shadows", "a shadow beside every pointer to active memory"),
    Stage("cache_plan", "minimum cut: what to cache, what to recompute", FACTS, "reverse"),
    Stage("derivative", "tangents beside values, or every block backwards"),
    Stage("write_out", "what stands in for code until no more derivatives are taken is replaced"),
    Stage("optimise_after_ad", "LLVM's -O3 of the result"),
)


def check_stage(name: str) -> None:
    """Raise ValueError, with all names, unless it is the name of a stage."""
    names = [stage.name for stage in STAGES]
    if name not in names:
        raise ValueError(f"there is no stage {name!r}; the stages are {', '.join(names)}")


def stages_table() -> str:
    """The stages as a table in Markdown.

    >>> print(stages_table().splitlines()[2])
    | `typing_lowering` | the front end lowers the whole program to one module | IR | both |
    """
    rows = [f"| `{s.name}` | {s.does} | {s.shows} | {s.modes} |" for s in STAGES]
    return "\n".join(["| stage | what it does | shows | modes |", "|---|---|---|---|", *rows])
