"""Symbols of functions: a mangled one is words with their lengths before them, and letters for types."""

from __future__ import annotations

import re

__all__ = ["MANGLED", "primal_of", "words"]

MANGLED = "_ZN"
"""How a name inside of others begins in the ABI of C++."""
_OF_DERIVATIVES = re.compile(r"(?:enzyme\.\d+\.)?(?:(?:grad|fwd|aug|rev)\.)*")


def primal_of(symbol: str) -> str:
    """The symbol of the function that this one is a derivative of; itself for other functions.

    >>> primal_of("fwd.grad.f"), primal_of("f")
    ('f', 'f')
    """
    return _OF_DERIVATIVES.sub("", symbol, count=1)


def words(mangled: str) -> list[str]:
    """The words of what stands behind `MANGLED`.

    >>> words("8__main__1fEd")
    ['__main__', 'f']
    """
    found = []
    while length := re.match(r"\d+", mangled):
        end = length.end() + int(length[0])
        found.append(mangled[length.end() : end])
        mangled = mangled[end:]
    return found
