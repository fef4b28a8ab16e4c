"""Constants that meet in a product.

The square of a number with a half before it has the partial `(d / 2) * (2 * a)`: the half comes with `d`, twice the
number from the square, and products of derivatives keep their order, so that factors that are far from one neither
overflow nor vanish on the way (`engine.synthesis.reverse_emitter`). Two constants that are near one are near one
together, and are made one, or none. In a chain this is also one product less to wait for.
"""

from __future__ import annotations

import re

from enzyme.backend.chains import TextFunction
from enzyme.backend.instructions_in_text import FLAGS, NAME
from enzyme.backend.loops_in_text import FUNCTION

# What the engine says of its products (`engine.synthesis.reverse_emitter`); a program may say less of its own.
_OURS = "nsz arcp contract "
# Constants between one of so many and so many.
_MOST = 16.0

_TYPE = r"(?:double|float|<\d+ x (?:double|float)>)"
_NUMBER = r"-?\d\.\d+e[+-]\d+"
_SCALED = re.compile(rf"({FLAGS}{_TYPE}) ({NAME}), (?:splat \(\w+ )?({_NUMBER})\)?$")
_PRODUCT = re.compile(rf"({FLAGS}{_TYPE}) ({NAME}), ({NAME})$")
_GAINS = re.compile(rf" = fmul [a-z ]*{_OURS}{_TYPE} {NAME}, (?:splat \(\w+ )?{_NUMBER}")


def with_scales_joined(text: str) -> str:
    """The module's text with one constant where there were two; `text` itself if nothing is to be joined."""
    if _GAINS.search(text) is None:
        return text
    joined = FUNCTION.sub(lambda found: _joined(found[0]), text)
    return text if joined == text else joined


def _joined(text: str) -> str:
    if _GAINS.search(text) is None:
        return text
    function = TextFunction(text.split("\n"))
    changes: dict[str, str | None] = {}
    for line in function.lines:
        product = _PRODUCT.match(line.rest) if line is not None and line.opcode == "fmul" else None
        if line is None or product is None or _OURS not in product[1]:
            continue
        # The constant stays with what is known early.
        early, late = sorted(product.group(2, 3), key=function.in_chains.__contains__)
        if early not in changes and late not in changes:
            changes |= _join(function, late, early, line.name, product[1]) or _join(
                function, early, late, line.name, product[1]
            )
    if not changes:
        return text
    lines = zip(function.body, function.lines, strict=True)
    made = (changes.get(line.name, old) if line is not None else old for old, line in lines)
    return "\n".join(new for new in made if new is not None)


def _join(
    function: TextFunction, first: str, second: str, product: str, type_: str
) -> dict[str, str | None]:
    """New texts by what they define, None for lines that go, if the first factor of a product, which nobody else
    reads, can hand its constant over; else nothing."""
    mine, other = _scaled(function, first), _scaled(function, second)
    if mine is None or other is None or not _is_ours(function, first):
        return {}
    scale = float(mine[3]) * float(other[3])
    written, rest = f"{scale:.6e}", second
    changes: dict[str, str | None] = {first: None}
    if scale == 1.0:
        rest = other[2]
        if len(function.readers[second]) == 1:
            changes[second] = None
    elif _is_ours(function, second) and float(written) == scale:
        before, behind = other.string[: other.start(3)], other.string[other.end(3) :]
        changes[second] = f"  {second} = fmul {before}{written}{behind}"
    else:
        return {}
    return changes | {product: f"  {product} = fmul {type_} {mine[2]}, {rest}"}


def _is_ours(function: TextFunction, name: str) -> bool:
    """Is the number made for one product of derivatives, and may it be made in another way?"""
    line = function.definitions.get(name)
    return line is not None and len(function.readers[name]) == 1 and _OURS in line.rest


def _scaled(function: TextFunction, name: str) -> re.Match[str] | None:
    """The product of a number with a constant near one."""
    line = function.definitions.get(name)
    found = _SCALED.match(line.rest) if line is not None and line.opcode == "fmul" else None
    return found if found is not None and 1.0 / _MOST <= abs(float(found[3])) <= _MOST else None


__all__ = ["with_scales_joined"]
