"""What the compiler made of a function: for people who want to know why a derivative costs what it costs."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from enzyme.api.explanation_html import as_html
from enzyme.api.places import call_site, place
from enzyme.api.reflection import fresh_program, stage_seconds
from enzyme.engine.synthesis.cache_report import FunctionCacheReport, KeptValue, Storage, alike
from enzyme.errors import EnzymeError, ModeError
from enzyme.source import SourceLoc, read_line
from enzyme.support.symbols import MANGLED, words
from enzymecore import Mode

__all__ = ["Explanation", "explain"]

_LONGEST_LINE = 60


@dataclass(frozen=True)
class Explanation:
    """What `explain` found; printed, it is a summary, and in notebooks a table of lines.

    Attributes
    ----------
    title
        Function and mode.
    functions
        One account for each function that has a reverse pass: the one that was asked for, and
        callees that stay calls. ``storages`` are the values kept by each loop, each with its
        size in bytes, place and reason; ``recomputed`` what the reverse pass computes again;
        ``activity`` and ``types`` the analyses, instruction by instruction.
    stages
        Seconds by stage of the compilation.
    primal_ir, derivative_ir, optimised_ir
        LLVM IR of the program as it is differentiated, of the derivative as it was written, and
        of what is run.
    refused
        The errors that the derivative raises if control gets there: what cannot be differentiated.
    """

    title: str
    functions: tuple[FunctionCacheReport, ...]
    stages: dict[str, float]
    primal_ir: str = field(repr=False)
    derivative_ir: str = field(repr=False)
    optimised_ir: str = field(repr=False)
    refused: tuple[EnzymeError, ...] = ()

    @property
    def bytes_per_iteration(self) -> int:
        """Bytes kept for one iteration of every loop, added up."""
        loops = (s for f in self.functions for s in f.storages if s.kind != "stack")
        return sum(storage.bytes_per_iteration for storage in loops)

    def __str__(self) -> str:
        return "\n".join(_lines(self))

    def _repr_html_(self) -> str:
        return as_html(self)


def _is_class_of_modes(x: Any) -> bool:
    return isinstance(x, type) and issubclass(x, Mode)


def explain(f: Any, mode: Any, *args: Any) -> Explanation:
    """Compile a derivative from scratch and say what it keeps, what it computes again, and why.

    Parameters
    ----------
    f, mode, *args
        As for `autodiff`, also in its order, the mode first; annotation classes with their types, as
        ``Active[float]``, serve as well.

    Returns
    -------
    Explanation
        Printed, it shows for every loop the values that the reverse pass gets from the forward pass,
        with the line that computes each and the reason. Lines come from a compilation with debug
        information, whose instructions may differ in detail from those that run.

    Raises
    ------
    EnzymeError
        As `autodiff`, before it runs anything; what it raises where control gets there is in ``refused``.

    Examples
    --------
    >>> import numpy as np
    >>> from enzyme import Active, Duplicated, Reverse, explain
    >>> def product(x):
    ...     p = 1.0
    ...     for i in range(len(x)):
    ...         p *= x[i]
    ...     return p
    >>> x = np.ones(3)
    >>> found = explain(product, Reverse, Active, Duplicated(x, np.zeros(3)))
    >>> found.bytes_per_iteration
    8
    >>> found.functions[0].storages[0].values[0].why
    'carried from one iteration to the next'
    """
    if not any(isinstance(x, Mode) or _is_class_of_modes(x) for x in (f, mode)):
        raise ModeError(
            what=f"there is no mode; the second argument is {mode!r:.60}",
            todo="write explain(f, mode, return_activity, *annotations)",
            where=call_site(),
        )
    program = fresh_program(f, mode, args)
    try:
        thunk = program.thunk(program.can_be_distinct, keep_text=True)
        accounts = program.accounts(program.can_be_distinct)
    except EnzymeError as error:
        place(error, call_site())
        raise
    assert program.made is not None
    direction = "forward mode" if program.signature.forward else "reverse mode"
    return Explanation(
        f"{program.primal.name}, {direction}",
        tuple(replace(a, function=_readable(a.function)) for a in accounts),
        stage_seconds(program),
        program.primal.text,
        program.made.text,
        thunk.derivative_text,
        program.late,
    )


def _readable(symbol: str) -> str:
    """The function's qualified name out of numba's mangled one, in which lengths stand before names."""
    if not symbol.startswith(MANGLED):
        return symbol
    return ".".join(words(symbol.removeprefix(MANGLED))).replace("_3clocals_3e", "<locals>")


def _lines(found: Explanation) -> Iterator[str]:
    yield found.title
    for error in found.refused:
        yield f"  raises {type(error).__name__} where it runs: {error.what}"
        if isinstance(error.where, SourceLoc):
            yield from _source(error.where, "    ")
    for function in found.functions:
        if len(found.functions) > 1:
            yield f"  function {function.function}"
        if not function.storages:
            yield "  keeps nothing"
        for storage in function.storages:
            yield f"  {_heading(storage)}"
            for value, count in alike(storage.values):
                times = f", {count} times" if count > 1 else ""
                yield f"    {value.size:3} bytes, {value.type}{times}: {value.why}"
                yield from _source(value.where, "      ")
        if function.recomputed:
            yield f"  computed again: {_counted(function.recomputed)}"
    total = sum(found.stages.values())
    yield f"  compiled in {total * 1e3:.0f} ms"
    for name, seconds in found.stages.items():
        yield f"    {seconds * 1e3:6.1f} ms  {name.replace('_', ' ')}"


def _heading(storage: Storage) -> str:
    if storage.kind == "stack":
        return f"kept outside loops, {storage.bytes_per_iteration} bytes"
    how = {
        "static": "one allocation before the loops",
        "growing": "storage that grows, for the number of iterations is not known before",
        "copy": "a copy for each iteration of those around it",
    }[storage.kind]
    lines = [str(loop.line) if loop is not None else "?" for loop in storage.loops]
    shared = storage.bytes_per_iteration < sum(value.size for value in storage.values)
    return (
        f"kept for each iteration of the loop{'s' if len(lines) > 1 else ''} at line {', '.join(lines)}, "
        f"{storage.bytes_per_iteration} bytes{', which branches share' if shared else ''}; {how}"
    )


def _source(where: SourceLoc | None, indent: str) -> Iterator[str]:
    if where is not None:
        text = read_line(where).strip()
        shown = text if len(text) <= _LONGEST_LINE else text[: _LONGEST_LINE - 3] + "..."
        yield f"{indent}line {where.line}: {shown}" if shown else f"{indent}{where}"


def _counted(values: Iterable[KeptValue]) -> str:
    values = list(values)
    lines = sorted({v.where.line for v in values if v.where is not None})
    text = f"{len(values)} value{'s' if len(values) != 1 else ''}"
    return f"{text}, of lines {', '.join(map(str, lines))}" if lines else text
