"""What a rule must return, and what to say if it returns something else."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

import inspect
from typing import Any

from numba.core import types

from enzyme.errors import (
    AugmentedRuleReturnError,
    CustomRuleError,
    ForwardRuleReturnError,
    ReverseRuleReturnError,
)
from enzyme.frontend import registration
from enzyme.frontend.target import numbers_in, parameters_written
from enzyme.frontend.visible import holds_memory
from enzyme.ruled.choice import OF_VALUES
from enzyme.ruled.operands import Call
from enzyme.source import SourceLoc
from enzyme.typed.annotations import AnnotationType
from enzyme.typed.refs import holds_ref
from enzyme_rules import AugmentedReturn, AugmentedReturnFlexShadow
from enzyme_rules.registry import Rule
from enzymecore import Active, BatchDuplicated, Const, Duplicated


def place_of(rule: Rule) -> SourceLoc:
    """Where the user wrote the rule, or the first of its partials."""
    given = rule.function if rule.easy is None else rule.easy.first
    code = getattr(getattr(given, "py_func", given), "__code__", rule.function.__code__)
    return SourceLoc(code.co_filename, code.co_firstlineno)


def check_writes(call: Call, rule: Rule) -> None:
    """Raise `CustomRuleError` if a rule speaks of results alone, and the function or the rule writes to an argument."""
    called = getattr(rule.function, OF_VALUES, None)
    if rule.easy is None and called is None:
        return
    for p in numbers_in(call.staying.abi.parameters, call.staying.surely_written):
        operand = next((o for o in call.operands if o.holds(p)), None)
        if operand is not None and operand.cls is not Const:
            raise CustomRuleError(
                what=f"{call.name} writes to its argument {operand.name}",
                why="its rule says what the derivative of the result is, and nothing of what is written",
                todo=(
                    "return what is written",
                    "or declare the argument to be without a derivative, with inactive_arg or nondiff_argnums",
                    "or give rules with enzyme_rules.forward, augmented_primal and reverse, which take care of it",
                ),
            )
    for function, places in called or ():
        names = tuple(inspect.signature(function.py_func).parameters)
        with registration.compiling({}):
            asked = [*function.overloads, *registration.for_target(function).overloads]
        for argtypes in asked:
            if not any(holds_memory(argtypes[k]) for k in places if k < len(argtypes)):
                continue
            for p in numbers_in(*parameters_written(function, argtypes)):
                if p.argument in places and p.argument < len(names):
                    raise CustomRuleError(
                        what=f"a rule of {call.name} writes to its argument {names[p.argument]}",
                        why="values and derivatives of others would change with it",
                        todo="let it write to a copy",
                    )


def shadows_of(call: Call) -> types.Type:
    """The type of the shadow of the result, a tuple in a batch."""
    return call.restype if call.width == 1 else types.UniTuple(call.restype, call.width)


def same(expected: types.Type, found: types.Type) -> bool:
    """Are these the same type? Tuples of equal members may be written in two ways, and literals be members."""
    expected, found = types.unliteral(expected), types.unliteral(found)
    if isinstance(expected, types.BaseTuple) and isinstance(found, types.BaseTuple):
        named = isinstance(expected, types.BaseNamedTuple), isinstance(found, types.BaseNamedTuple)
        if named[0] != named[1] or len(expected) != len(found):
            return False
        return all(map(same, expected.types, found.types))
    return bool(expected == found)


def _asked_for(call: Call) -> str:
    config = call.config
    return {
        (True, True): "primal and shadow",
        (True, False): "primal only",
        (False, True): "shadow only",
        (False, False): "neither primal nor shadow",
    }[config.needs_primal, config.needs_shadow]


def _refuse(
    error: type[CustomRuleError], call: Call, rule: Rule, expected: Any, found: Any, hint: str
) -> CustomRuleError:
    return error(
        where=place_of(rule),
        what=f"the {rule.kind} rule of {call.name} returns {found}, where {expected} is due",
        why=f"the call needs {_asked_for(call)}, width {call.width}: {hint}",
        todo=f"return {expected}",
        config=call.config,
        expected=expected,
        found=found,
        hint=hint,
    )


def check_forward(call: Call, rule: Rule, found: types.Type) -> None:
    """Raise `ForwardRuleReturnError` unless a forward rule returns what is due."""
    config, shadows = call.config, shadows_of(call)
    both = config.needs_primal and config.needs_shadow
    expected: Any = types.none
    if both:
        expected = AnnotationType(
            Duplicated if call.width == 1 else BatchDuplicated, call.restype, shadows
        )
    elif config.needs_primal:
        expected = call.restype
    elif config.needs_shadow:
        expected = shadows
    if both and isinstance(found, AnnotationType):
        if (
            found.cls is expected.cls
            and same(expected.value, found.value)
            and found.shadow is not None
            and same(shadows, found.shadow)
        ):
            return
    elif not both and same(expected, found):
        return
    raise _refuse(
        ForwardRuleReturnError, call, rule, expected, found, _forward_hint(call, found, both)
    )


def _forward_hint(call: Call, found: types.Type, both: bool) -> str:
    config, annotated = call.config, isinstance(found, AnnotationType)
    if both:
        if not annotated:
            return "a bare value is returned, but primal and shadow are needed together"
        if found.cls is Duplicated and call.width > 1:
            return "Duplicated is returned in a batch, where BatchDuplicated is due"
        if found.cls is BatchDuplicated and call.width == 1:
            return "BatchDuplicated is returned at width 1, where Duplicated is due"
        if found.cls is BatchDuplicated and len(found.shadow) != call.width:
            return f"{len(found.shadow)} shadows are returned, not {call.width}"
        return "the type of the primal or of the shadow differs"
    if annotated:
        only = "nothing"
        if config.needs_shadow or config.needs_primal:
            only = f"only the {'shadow' if config.needs_shadow else 'primal'}"
        return f"{found.cls.__name__} is returned, though {only} is needed"
    if not config.needs_primal and not config.needs_shadow:
        return "something is returned, though nothing is needed"
    if (
        config.needs_shadow
        and isinstance(found, types.BaseTuple)
        and not isinstance(call.restype, types.BaseTuple)
    ):
        if call.width == 1:
            return "a tuple of shadows is returned at width 1"
        if len(found) != call.width:
            return f"{len(found)} shadows are returned, not {call.width}"
    elif config.needs_shadow and call.width > 1:
        return "a single shadow is returned in a batch"
    if found == types.none:
        return "None is returned, but a value is needed"
    return "the type differs"


def check_augmented(call: Call, rule: Rule, found: types.Type) -> None:
    """Raise `AugmentedRuleReturnError` unless an augmented primal returns what is due."""
    config = call.config
    primal = call.restype if config.needs_primal else types.none
    shadow = shadows_of(call) if config.needs_shadow else types.none
    expected = f"AugmentedReturn(primal: {primal}, shadow: {shadow}, tape)"
    cls = getattr(found, "instance_class", None)
    if cls not in (AugmentedReturn, AugmentedReturnFlexShadow):
        what = "the result is not an AugmentedReturn"
        raise _refuse(AugmentedRuleReturnError, call, rule, expected, found, what)
    parts = found.types
    hint: str | None = _part_hint("primal", config.needs_primal, primal, parts[0])
    if hint is None and not (cls is AugmentedReturnFlexShadow and _same_numbers(shadow, parts[1])):
        hint = _part_hint("shadow", config.needs_shadow, shadow, parts[1])
        if hint and config.needs_shadow and parts[1] != types.none:
            tuples = isinstance(parts[1], types.BaseTuple)
            if call.width > 1 and not tuples:
                hint = "a single shadow is returned in a batch"
            elif call.width == 1 and tuples:
                hint = "a tuple of shadows is returned at width 1"
    if hint is None and holds_ref(parts[2]):
        hint = "the tape holds a Ref, which ends when the rule returns: keep its content, ref[()]"
    if hint is not None:
        raise _refuse(AugmentedRuleReturnError, call, rule, expected, found, hint)


def _same_numbers(expected: types.Type, found: types.Type) -> bool:
    """May one stand for the other, since they differ in what is known of their layout only?"""
    if isinstance(expected, types.Array) and isinstance(found, types.Array):
        return (expected.dtype, expected.ndim) == (found.dtype, found.ndim)
    if isinstance(expected, types.BaseTuple) and isinstance(found, types.BaseTuple):
        return len(expected) == len(found) and all(map(_same_numbers, expected.types, found.types))
    return same(expected, found)


def _part_hint(what: str, needed: bool, expected: types.Type, found: types.Type) -> str | None:
    if same(expected, found):
        return None
    if not needed:
        return f"a {what} is returned that was not asked for"
    return f"the {what} is missing" if found == types.none else f"the {what} has another type"


def check_reverse(call: Call, rule: Rule, found: types.Type) -> None:
    """Raise `ReverseRuleReturnError` unless a reverse rule returns what is due."""
    due = [operand.adjoint for operand in call.positional]
    expected = "(" + ", ".join(map(str, due)) + ("," if len(due) == 1 else "") + ")"

    def refuse(hint: str) -> CustomRuleError:
        return _refuse(ReverseRuleReturnError, call, rule, expected, found, hint)

    if not isinstance(found, types.BaseTuple):
        raise refuse("the result is not a tuple with one entry per argument")
    if len(found) != len(due):
        raise refuse(f"{len(found)} entries are returned for {len(due)} arguments")
    for operand, wanted, given in zip(call.positional, due, found.types, strict=True):
        if same(wanted, given):
            continue
        index = f"entry {operand.index} ({operand.name})"
        if operand.cls is not Active:
            raise refuse(f"{index} must be None, for the argument is {operand.cls.__name__}")
        if given == types.none:
            raise refuse(f"{index} is None, but the argument is Active")
        tuples = isinstance(given, types.BaseTuple) and not isinstance(
            operand.type, types.BaseTuple
        )
        if call.width == 1 and tuples:
            raise refuse(f"{index} is a tuple at width 1")
        if call.width > 1 and not isinstance(given, types.BaseTuple):
            raise refuse(f"{index} is a single value in a batch")
        raise refuse(f"{index} has another type")
