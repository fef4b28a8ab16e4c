"""Which rule a call gets."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

from numba.core import types

from enzyme.errors import CustomRuleError, NoApplicableRuleError
from enzyme.frontend.registration import Compiled
from enzyme.frontend.target import INACTIVE, OpaqueCallPolicy
from enzyme_rules.patterns import matches, most_specific
from enzyme_rules.registry import Rule, RuleSet, rules_of
from enzymecore import as_type

# An attribute of functions that keep nothing they are given, except on their tapes, and return none of it.
FORGETS = "__enzyme_forgets__"
# An attribute of rules that speak of results alone: what they call that must not write to its arguments, and the places
# of these.
OF_VALUES = "__enzyme_of_values__"
# As one tuple of these types numba passes what a function takes as ``*args``.
STAR_ARGUMENTS = (types.StarArgTuple, types.StarArgUniTuple)
RULES = "rules"


def opaque_call_policy_for(forward: bool) -> OpaqueCallPolicy:
    """The functions whose calls stay calls in forward (else reverse) mode; equal questions are equal functions."""
    return _opaque_forward if forward else _opaque_reverse


def _opaque_forward(compiled: Compiled) -> str:
    return _reason(compiled, True)


def _opaque_reverse(compiled: Compiled) -> str:
    return _reason(compiled, False)


def _reason(compiled: Compiled, forward: bool) -> str:
    function = compiled.function()
    rules = rules_of(function) if function is not None else None
    if not rules:
        return ""
    if _is_meant([*rules.inactive, *rules.inactive_noinl], compiled):
        return INACTIVE
    return RULES if _candidates(rules, compiled, forward) else ""


def _types_of(compiled: Compiled) -> tuple[Any, ...]:
    found: list[types.Type] = []
    for ty in compiled.argtypes:
        found += ty.types if isinstance(ty, STAR_ARGUMENTS) else [ty]
    return tuple(as_type(types.unliteral(ty)) for ty in found)


def _is_meant(signatures: Sequence[tuple[Any, ...] | None], compiled: Compiled) -> bool:
    given = _types_of(compiled)
    return any(signature is None or matches(signature, given) for signature in signatures)


def _candidates(rules: RuleSet, compiled: Compiled, forward: bool) -> bool:
    if rules.forward if forward else rules.augmented_primal or rules.reverse:
        return True
    return bool(_easy_rules(rules, _types_of(compiled)))


def _easy_rules(rules: RuleSet, given: Sequence[Any]) -> list[Any]:
    """Those for arguments of these types, as many as there are."""
    return [
        easy
        for easy in rules.easy
        if easy.takes(len(given)) and (easy.types is None or matches(easy.types, given))
    ]


def keyword_names(function: Any) -> frozenset[str]:
    """The parameters that are keywords: those that the function, or one of its rules, takes by keyword only.

    In compiled code numba binds keywords to positions before anybody can look, so the rules have to say.
    """
    parameters = inspect.signature(function.py_func).parameters
    found = {p.name for p in parameters.values() if p.kind is p.KEYWORD_ONLY}
    rules = rules_of(function)
    for rule in (*rules.forward, *rules.augmented_primal, *rules.reverse):
        found |= {name for name, _ in rule.pattern.keywords if name in parameters}
    return frozenset(found)


def choose(
    kind: str,
    function: Any,
    returns: Any,
    arguments: Sequence[Any],
    keywords: dict[str, Any],
    width: int,
    results: int | None,
) -> Rule:
    """The most specific rule of this kind that accepts the call, which returns a tuple of so many `results`, or none.

    Raises
    ------
    NoApplicableRuleError
        If there is none; that is an error where the call runs, not where it stands.
    CustomRuleError
        If several are equally specific.
    """
    rules = rules_of(function)
    of = [a.eltype for a in (*arguments, *keywords.values())]
    easy = (e.rule(kind, len(arguments), results) for e in _easy_rules(rules, of))
    given = [*getattr(rules, kind), *easy]
    fitting = [rule for rule in given if rule.pattern.accepts(returns, arguments, keywords, width)]
    best = most_specific(fitting)
    if len(best) > 1:
        best = [rule for rule in best if rule in getattr(rules, kind)] or best
    if len(best) == 1:
        return best[0]
    name = function.py_func.__qualname__
    shown = ", ".join(map(repr, [*arguments, *keywords.values()]))
    if best:
        raise CustomRuleError(
            what=f"several {kind} rules of {name} accept a call with ({shown}) and return activity {returns!r}",
            why="; ".join(rule.describe() for rule in best),
            todo="make one of them more specific, or remove one",
        )
    available = tuple(rule.describe() for rule in given)
    raise NoApplicableRuleError(
        what=f"no {kind} rule of {name} accepts arguments ({shown}) with return activity {returns!r}, width {width}",
        why="available: " + ("; ".join(available) or "none"),
        todo=f"register one with @enzyme_rules.{kind}({name})",
        function=name,
        activities=(returns, *arguments),
        available=available,
    )
