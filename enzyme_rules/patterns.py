"""Which calls a rule accepts, and which of two rules is the more specific one."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Sequence
from typing import Any

from enzyme_rules.config import _WidthPattern
from enzymecore import Annotation, as_type
from enzymecore.record import record

__all__ = ["Pattern", "most_specific", "pattern_of"]

# Parameters of a rule in front of the arguments, after the configuration.
_LEADING = {"forward": 2, "augmented_primal": 2, "reverse": 3}

Wanted = tuple[Any, ...] | None


@record
class Pattern:
    """The activities that a rule accepts: of the result, of each argument and of keywords; None is any.

    `more` is what the arguments of ``*args`` may be: None if there is no such parameter, else a tuple with one entry.
    """

    returns: Wanted
    arguments: tuple[Wanted, ...]
    keywords: tuple[tuple[str, Wanted], ...] = ()
    more: tuple[Wanted] | None = None
    width: int | None = None

    def accepts(
        self, returns: Any, arguments: Sequence[Any], keywords: dict[str, Any], width: int
    ) -> bool:
        """Does the rule take a call with these annotation classes?"""
        if self.width not in (None, width) or not fits(self.returns, returns):
            return False
        if {name for name, _ in self.keywords} != set(keywords):
            return False
        if len(arguments) < len(self.arguments):
            return False
        extra = arguments[len(self.arguments) :]
        if extra and self.more is None:
            return False
        wanted = [*self.arguments, *(self.more or ()) * len(extra)]
        return all(map(fits, wanted, arguments)) and all(
            fits(w, keywords[name]) for name, w in self.keywords
        )

    def _entries(self, count: int) -> list[Wanted]:
        extra = count - len(self.arguments)
        return [self.returns, *self.arguments, *(self.more or (None,)) * extra] + [
            w for _, w in sorted(self.keywords)
        ]

    def is_within(self, other: Pattern) -> bool:
        """Does the other one accept whatever this one does?"""
        if other.width is not None and other.width != self.width:
            return False
        if other.more is None and (self.more or len(self.arguments) > len(other.arguments)):
            return False
        count = max(len(self.arguments), len(other.arguments))
        return all(map(_is_within, self._entries(count), other._entries(count)))


def fits(wanted: Wanted, given: Any) -> bool:
    """Is an annotation class one of those wanted?"""
    return wanted is None or any(_is_kind_of(given, w) for w in wanted)


def _is_kind_of(given: Any, wanted: Any) -> bool:
    if not getattr(wanted, "parameters", ()):
        return issubclass(given, wanted)
    same = given.origin is wanted.origin and given.parameters
    return bool(same) and all(
        a == b for a, b in zip(given.parameters, wanted.parameters, strict=True)
    )


def _is_within(inner: Wanted, outer: Wanted) -> bool:
    if outer is None:
        return True
    return inner is not None and all(any(_is_kind_of(i, o) for o in outer) for i in inner)


def matches(signature: Sequence[Any], given: Sequence[Any]) -> bool:
    """Are these the types that a signature names?"""
    return len(signature) == len(given) and all(
        as_type(wanted) == mine for wanted, mine in zip(signature, given, strict=True)
    )


def most_specific(rules: Sequence[Any]) -> list[Any]:
    """The rules that no other one is more specific than: one, or several if the choice is ambiguous."""
    return [
        rule
        for rule in rules
        if not any(
            other is not rule
            and other.pattern.is_within(rule.pattern)
            and not rule.pattern.is_within(other.pattern)
            for other in rules
        )
    ]


def pattern_of(function: Any, kind: str, takes_config: bool, width: int | None) -> Pattern:
    """The pattern that the annotations of a rule's parameters state.

    Raises
    ------
    TypeError
        If the rule lacks parameters, or an annotation is no annotation class.
    """
    try:
        parameters = list(inspect.signature(function, eval_str=True).parameters.values())
    except (NameError, SyntaxError) as error:
        raise TypeError(
            f"a parameter annotation of rule {function.__name__} cannot be read: {error}; it restricts the calls that"
            " the rule accepts, so name what it means in the module, or leave it out"
        ) from error
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    leading = _LEADING[kind] + takes_config
    if len(positional) < leading:
        names = ["config"] * takes_config + [
            "func",
            *(["dret", "tape"] if kind == "reverse" else ["RT"]),
        ]
        raise TypeError(
            f"{kind} rule {function.__name__} at {function.__code__.co_filename}:"
            f"{function.__code__.co_firstlineno} takes {len(positional)} parameters; it needs at least"
            f" ({', '.join(names)}) before the arguments of the function"
        )
    if takes_config:
        stated = positional[0].annotation
        if isinstance(stated, _WidthPattern):
            width = stated.width
    more: tuple[Wanted] | None = None
    keywords = []
    for p in parameters:
        if p.kind is p.VAR_POSITIONAL:
            more = (_wanted(p.annotation, function),)
        elif p.kind is p.KEYWORD_ONLY:
            keywords.append((p.name, _wanted(p.annotation, function)))
    return Pattern(
        returns=_wanted(positional[leading - (2 if kind == "reverse" else 1)].annotation, function),
        arguments=tuple(_wanted(p.annotation, function) for p in positional[leading:]),
        keywords=tuple(keywords),
        more=more,
        width=width,
    )


def _wanted(stated: Any, function: Any) -> Wanted:
    if stated is inspect.Parameter.empty or stated is Any or isinstance(stated, str):
        return None
    origin = typing.get_origin(stated)
    if origin is type:
        return _wanted(typing.get_args(stated)[0], function)
    if origin in (types.UnionType, typing.Union):
        parts = [_wanted(part, function) for part in typing.get_args(stated)]
        return None if None in parts else tuple(w for part in parts for w in part or ())
    if stated is Annotation:
        return None
    if isinstance(stated, type) and issubclass(stated, Annotation):
        return (stated,)
    if isinstance(stated, type):
        return None  # a class of values says nothing of activities
    raise TypeError(
        f"parameter annotations of rule {function.__name__} are annotation classes such as Duplicated,"
        f" not {stated!r:.80}"
    )
