"""Why a fact about types holds, in words, and the error for two facts that contradict.

A program that was written in another language is told by its lines, and never by IR.
"""

from __future__ import annotations

from enzyme.engine.analysis.typetree import ConcreteType, illegal
from enzyme.engine.ir.instructions import Instruction
from enzyme.engine.ir.metadata import location_of
from enzyme.engine.ir.module import Function
from enzyme.engine.ir.printer import print_instruction
from enzyme.engine.ir.values import Argument, Value
from enzyme.errors import EnzymeError
from enzyme.source import SourceLoc, read_line

Reason = Value | str


def clash(
    first: ConcreteType, why: Reason, second: ConcreteType, why_second: Reason, joined: Reason = ""
) -> Exception:
    """The error for bytes of two types; it stands where the two meet, or where the second was found."""
    reasons = [r for r in (joined, why_second, why) if isinstance(r, Instruction)]
    where: SourceLoc | str | None = next(filter(None, map(location_of, reasons)), None)
    if where is None and not any(map(_is_of_a_language, reasons)):
        where = _in_function(joined or why_second)
    code = "\n".join(print_instruction(r).strip() for r in reversed(reasons))
    return illegal(where, first, explain(why), second, explain(why_second), code)


def explain(reason: Reason) -> str:
    """Why a fact holds, in words: the user's line, or what there is in its place."""
    if not isinstance(reason, Instruction):
        return _text(reason)
    place = location_of(reason)
    if place is not None:
        line = read_line(place).strip()
        return f"line {place.line} of {place.file}" + (f", `{line}`" if line else "")
    return "" if _is_of_a_language(reason) else _text(reason)


def _is_of_a_language(instruction: Instruction) -> bool:
    """Does it come from a program of a language whose lines errors name?"""
    function = instruction.parent.parent if instruction.parent is not None else None
    module = function.module if function is not None else None
    return module is not None and bool(module.library_folders)


def stands_in(error: EnzymeError, copy: Function, primal: Function) -> None:
    """Let an error that was found in a copy speak of the function itself."""
    if isinstance(error.where, str):
        error.where = error.where.replace(f"in @{copy.name}: ", f"in @{primal.name}: ", 1)
        error.args = (error.render(),)


def _in_function(reason: Reason) -> str:
    """What the IR says, and of which function."""
    block = reason.parent if isinstance(reason, Instruction) else None
    function = reason.function if isinstance(reason, Argument) else block and block.parent
    return f"in @{function.name}: {_text(reason)}" if function is not None else _text(reason)


def name_of_parameter(parameter: Argument) -> str:
    """What it is called, or which of its function's parameters it is."""
    if parameter.name:
        return f"parameter %{parameter.name}"
    function = parameter.function
    return f"parameter {parameter.index + 1}" + (f" of @{function.name}" if function else "")


def _text(reason: Reason) -> str:
    """What the IR says."""
    if isinstance(reason, str):
        return reason
    if isinstance(reason, Argument):
        return name_of_parameter(reason)
    if not isinstance(reason, Instruction):
        return f"{reason.type} {reason.name}".rstrip()
    text = print_instruction(reason).strip()
    if reason.parent is not None and reason.parent.name:
        text += f" (in block %{reason.parent.name})"
    return text
