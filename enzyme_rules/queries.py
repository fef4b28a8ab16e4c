"""Which rules there are, asked by types and without compiling anything."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from enzyme_rules.patterns import Pattern, Wanted, matches
from enzyme_rules.registry import rules_of
from enzymecore import (
    Annotation,
    BatchDuplicated,
    BatchDuplicatedNoNeed,
    BatchMixedDuplicated,
    Duplicated,
    DuplicatedNoNeed,
    MixedDuplicated,
    as_type,
)

__all__ = [
    "has_easy_rule_from_sig",
    "has_frule_from_sig",
    "has_rrule_from_sig",
    "is_inactive_from_sig",
    "is_inactive_noinl_from_sig",
]

_PLAIN = (Duplicated, DuplicatedNoNeed, MixedDuplicated)
_BATCH = (BatchDuplicated, BatchDuplicatedNoNeed, BatchMixedDuplicated)


def has_frule_from_sig(f: Any, argtypes: Sequence[Any], RT: Any = None) -> bool:
    """May a forward rule of `f` take a call with these arguments?

    Parameters
    ----------
    f
        The function.
    argtypes
        Types, for any activity, or annotation classes.
    RT
        The return activity; any, if left out.

    Examples
    --------
    >>> from enzyme_rules import forward
    >>> def f(x):
    ...     return x
    >>> @forward(f)
    ... def rule(func, RT, x: Duplicated):
    ...     return x.dval
    >>> has_frule_from_sig(f, (float,)), has_frule_from_sig(f, (BatchDuplicated,), Duplicated)
    (True, False)
    """
    rules = rules_of(f)
    return _any(rules.forward, argtypes, RT) or has_easy_rule_from_sig(f, argtypes)


def has_rrule_from_sig(f: Any, argtypes: Sequence[Any], RT: Any = None) -> bool:
    """May the reverse rules of `f`, both of them, take a call? Parameters as for `has_frule_from_sig`.

    Examples
    --------
    >>> def f(x):
    ...     return x
    >>> has_rrule_from_sig(f, (float,))
    False
    """
    rules = rules_of(f)
    both = _any(rules.augmented_primal, argtypes, RT) and _any(rules.reverse, argtypes, RT)
    return both or has_easy_rule_from_sig(f, argtypes)


def has_easy_rule_from_sig(f: Any, argtypes: Sequence[Any]) -> bool:
    """Has `f` an easy rule for arguments of these types?

    Examples
    --------
    >>> from enzyme_rules import easy_rule
    >>> def f(x):
    ...     return x
    >>> easy_rule(f, (lambda omega, x: 1.0,), types=(float,))
    >>> has_easy_rule_from_sig(f, (float,)), has_easy_rule_from_sig(f, (int,))
    (True, False)
    """
    return any(e.types is None or _names(e.types, argtypes) for e in rules_of(f).easy)


def is_inactive_from_sig(f: Any, argtypes: Sequence[Any]) -> bool:
    """Is `f` declared inactive for arguments of these types?

    Examples
    --------
    >>> from enzyme_rules import inactive
    >>> def f(x):
    ...     return x
    >>> inactive(f)
    >>> is_inactive_from_sig(f, (float,))
    True
    """
    return any(s is None or _names(s, argtypes) for s in rules_of(f).inactive)


def is_inactive_noinl_from_sig(f: Any, argtypes: Sequence[Any]) -> bool:
    """The same for `inactive_noinl`.

    Examples
    --------
    >>> def f(x):
    ...     return x
    >>> is_inactive_noinl_from_sig(f, (float,))
    False
    """
    return any(s is None or _names(s, argtypes) for s in rules_of(f).inactive_noinl)


def _names(signature: Sequence[Any], argtypes: Sequence[Any]) -> bool:
    return matches(signature, [_type_of(given) for given in argtypes])


def _type_of(given: Any) -> Any:
    """The type of a value, also out of an annotation class."""
    if isinstance(given, type) and issubclass(given, Annotation):
        return given.eltype
    return as_type(given)


def _any(rules: Sequence[Any], argtypes: Sequence[Any], RT: Any) -> bool:
    stated = [a for a in (RT, *argtypes) if isinstance(a, type) and issubclass(a, Annotation)]
    if any(issubclass(a, _PLAIN) for a in stated) and any(issubclass(a, _BATCH) for a in stated):
        return False
    return any(_may_accept(rule.pattern, argtypes, RT) for rule in rules)


def _may_accept(pattern: Pattern, argtypes: Sequence[Any], RT: Any) -> bool:
    extra = len(argtypes) - len(pattern.arguments)
    if extra < 0 or (extra and pattern.more is None) or not _may_fit(pattern.returns, RT):
        return False
    wanted = [*pattern.arguments, *(pattern.more or ()) * extra]
    return all(map(_may_fit, wanted, argtypes))


def _may_fit(wanted: Wanted, given: Any) -> bool:
    if wanted is None or given is None:
        return True
    if isinstance(given, type) and issubclass(given, Annotation):
        return any(issubclass(given, w) or issubclass(w, given) for w in wanted)
    return any(not w.parameters or w.eltype == as_type(given) for w in wanted)
