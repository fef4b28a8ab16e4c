"""A place in the tokens of a module."""

from __future__ import annotations

import re
from typing import NoReturn

from enzyme.engine.ir.lexer import END, position_of, tokenize
from enzyme.engine.ir.reading.names import join_tokens
from enzyme.errors import IRParseError

# What stands inside each other deeper than this, no front end writes; the readers recur.
MAX_NESTING = 50
INT_LITERAL = re.compile(r"-?\d+", re.ASCII)


class Cursor:
    """Steps over tokens; what it does not expect is an `IRParseError` with its line."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = tokenize(text)
        self.pos = 0
        self.depth = 0

    def fail(self, message: str, position: int | None = None) -> NoReturn:
        line, text, column = position_of(self.text, self.pos if position is None else position)
        raise IRParseError(message, line=line, text=text, column=column)

    def expect(self, token: str) -> None:
        if self.tokens[self.pos] != token:
            self.fail(f"expected {token!r}, found {self.tokens[self.pos] or 'the end'!r}")
        self.pos += 1

    def accept(self, token: str) -> bool:
        if self.tokens[self.pos] == token:
            self.pos += 1
            return True
        return False

    def integer(self, what: str) -> int:
        token = self.tokens[self.pos]
        if not INT_LITERAL.fullmatch(token):
            self.fail(f"expected {what}, found {token or 'the end'!r}")
        self.pos += 1
        return int(token)

    def descend(self, what: str) -> None:
        """Begin a part that may hold parts of its own kind; `ascend` ends it."""
        self.depth += 1
        if self.depth > MAX_NESTING:
            self.fail(f"{what} nested more than {MAX_NESTING} deep")

    def ascend(self) -> None:
        self.depth -= 1

    def flags(self, words: frozenset[str]) -> tuple[str, ...]:
        tokens, start = self.tokens, self.pos
        if tokens[start] not in words:
            return ()
        end = start + 1
        while tokens[end] in words:
            end += 1
        self.pos = end
        return tuple(tokens[start:end])

    def skip_group(self) -> None:
        """Step over a balanced group that opens at this position."""
        tokens, start, depth = self.tokens, self.pos, 0
        while True:
            token = tokens[self.pos]
            if token in ("(", "[", "{", "<"):
                depth += 1
            elif token in (")", "]", "}", ">"):
                depth -= 1
            elif token == END:
                self.fail("bracket without its end", start)
            self.pos += 1
            if depth == 0:
                return

    def attribute(self) -> None:
        """Step over one attribute: a word, a word with a group, ``align 8``, ``"key"="value"``, ``#3``."""
        token = self.tokens[self.pos]
        if not (token[:1].isalpha() or token[:1] in ('"', "#")) or token[-1] == ":":
            self.fail(f"expected an attribute, a type or a value, found {token or 'the end'!r}")
        self.pos += 1
        after = self.tokens[self.pos]
        if after == "(":
            self.skip_group()
        elif token in ("align", "cc", "alignstack") and after.isdigit():
            self.pos += 1
        elif (after == "=" and token[0] == '"') or (
            after == "=" and token in ("align", "alignstack")
        ):
            self.pos += 2

    def since(self, start: int) -> str:
        """The text of the tokens from `start` up to here."""
        tokens = self.tokens[start : self.pos]
        return tokens[0] if len(tokens) == 1 else join_tokens(tokens)
