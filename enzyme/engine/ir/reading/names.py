"""Spelling of names and of groups of tokens."""

from __future__ import annotations

import re

from enzyme.engine.ir.lexer import quote_name, unescape

NUMBERED = re.compile(r"[%@]\d+", re.ASCII)


def join_tokens(tokens: list[str]) -> str:
    """Text of tokens with the spaces that LLVM puts."""
    parts: list[str] = []
    previous = ""
    for token in tokens:
        glued = (
            not parts
            or token in (",", ")", "]", "}", ">", "=")
            or previous in ("(", "[", "<", "=", "!", "{")
            or (token == "(" and (previous[:1].isalnum() or previous[:1] in '!"_'))
        )
        parts.append(token if glued else " " + token)
        previous = token
    return "".join(parts)


def local_key(token: str) -> str:
    """One spelling per local: ``%"ab"`` is ``%ab``, while ``%"5"`` is not ``%5``."""
    if token[1:2] != '"':
        return token
    name = unescape(token[2:-1])
    return "%" + (name if not name.isdigit() and quote_name(name) == name else f'"{name}"')


def local_name(key: str) -> str:
    """The name of the local with this key; unnamed is empty."""
    if key[1:2] == '"':
        return key[2:-1]
    return "" if key[1:].isdigit() else key[1:]


def struct_name(token: str) -> str:
    """The spelling that LLVM prints, by which the module knows the type."""
    name = unescape(token[2:-1]) if token[1:2] == '"' else token[1:]
    return token if token[1:].isdigit() else "%" + quote_name(name)


def symbol_key(token: str) -> str:
    return "@" + symbol_name(token)


def symbol_name(token: str) -> str:
    """Name of a symbol. Unnamed ``@0`` is called 0, and ``@"0"`` keeps its quotes to tell them apart."""
    if token[1:2] != '"':
        return token[1:]
    name = unescape(token[2:-1])
    return f'"{name}"' if name.isdigit() else name
