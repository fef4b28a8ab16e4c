"""A rule of forward mode made of two: an augmented form, and a forward form that takes its tape."""

from __future__ import annotations

from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.module import Function, new_function
from enzyme.engine.ir.types import VOID, FloatType, StructType, Type, struct_type
from enzyme.engine.ir.values import Value
from enzyme.frontdoor.rule_adapters import Rule, tape_type, unusable

COMPOSED = "enzyme.composed."


def compose(primal: Function, augmented: Function, forward: Function) -> Function:
    """``(numbers and pointers with their shadows) -> {result, tangent}``: the one form, then the other."""
    module, ret = primal.module, primal.function_type.ret
    assert module is not None
    parameters: list[tuple[Type, str]] = []
    for type_ in primal.function_type.params:
        paired = type_.is_pointer or isinstance(type_, FloatType)
        parameters += [(type_, "")] * (2 if paired else 1)
    name = module.fresh_symbol(COMPOSED + primal.name)
    result: Type = VOID if ret is VOID else struct_type([ret, ret])
    made = new_function(module, name, result, parameters)
    made.prefix = ""  # nobody calls it yet
    rule = Rule(module, primal)
    given = iter(made.args)
    for type_ in primal.function_type.params:
        rule.values.append(next(given))
        paired = type_.is_pointer or isinstance(type_, FloatType)
        rule.shadows.append(next(given) if paired else None)
    b = Builder(made.append_block("entry"))
    first = rule.outcome(b, augmented, rule.arguments(tangents=False), "augmented")
    parts: list[Value] = [first] if first.type is not VOID else []
    if isinstance(first.type, StructType):
        parts = [b.extract_value(first, [k]) for k in range(len(first.type.elements or ()))]
    passed = rule.arguments(tangents=True)
    if tape_type(primal, augmented) is not None:
        passed.append(parts.pop(0))
    tangent = rule.outcome(b, forward, passed, "forward")
    if ret is VOID:
        b.ret(None)
        return made
    if not parts:
        raise unusable(primal, f"its augmented form @{augmented.name} does not return the result")
    if tangent.type is not ret:
        raise unusable(primal, f"its forward form @{forward.name} does not return {ret}")
    b.ret(b.make_struct(result, [parts[0], tangent]))
    return made
