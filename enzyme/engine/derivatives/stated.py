"""Derivatives that a program states: two functions that the front end and `preprocess` call, and what becomes of them.

A library computes `x % y` in branches, and one of them is `return 0.0`: it has the value of the function
there, and not its derivative. Such code says what is meant:

 * ``enzyme.with_derivative_of(value, model)`` is `value`, and its derivative that of `model`;
 * ``enzyme.differential(slope, x)`` has the derivative ``slope * dx``; it is used in models only, so that its
   value is nobody's concern.

Both are declared and never defined: LLVM cannot look through them before differentiation, and a model
that only they use is plain code to the engine. `settle` replaces the calls when no derivative of the
module will be taken any more; what only served derivatives that nobody asked for is dead then. In a
derivative that is differentiated itself the calls stay.
"""

from __future__ import annotations

from enzyme.engine.derivatives.catalogue import define
from enzyme.engine.derivatives.table import IDENTITY
from enzyme.engine.derivatives.terms import PURE
from enzyme.engine.ir.builder import Builder, mangle
from enzyme.engine.ir.instructions import Call, Instruction
from enzyme.engine.ir.module import Module
from enzyme.engine.ir.values import Value

WITH_DERIVATIVE_OF = "enzyme.with_derivative_of"
DIFFERENTIAL = "enzyme.differential"
KINDS = ("f32", "f64")


def _names(stem: str) -> str:
    return " ".join(f"{stem}.{kind}" for kind in KINDS)


STATED = frozenset(f"{_names(WITH_DERIVATIVE_OF)} {_names(DIFFERENTIAL)}".split())

define(_names(WITH_DERIVATIVE_OF), None, IDENTITY, smooth=True)
define(_names(DIFFERENTIAL), None, lambda d, y, slope, x: d * slope, smooth=True)


def declarations() -> str:
    """What a program that calls these functions declares."""
    types = {"f32": "float", "f64": "double"}
    attributes = "nounwind willreturn nofree nosync memory(none)"
    return "".join(
        f"declare {types[kind]} @{stem}.{kind}({types[kind]}, {types[kind]}) {attributes}\n"
        for stem in (WITH_DERIVATIVE_OF, DIFFERENTIAL)
        for kind in KINDS
    )


def with_derivative_of(b: Builder, value: Value, model: Value) -> Value:
    """`value` with the derivative of `model`; the model itself for types that have no such function."""
    kind = mangle(value.type)
    if kind not in KINDS:
        return model
    symbol = f"{WITH_DERIVATIVE_OF}.{kind}"
    return b.call_named(symbol, value.type, [value, model], declaration_suffix=PURE)


def takes_number_only(user: Instruction, value: Value) -> bool:
    """Is that a call of `with_derivative_of` to which `value` gives its number, and nothing of its derivative?"""
    if not isinstance(user, Call) or not user.callee_name.startswith(f"{WITH_DERIVATIVE_OF}."):
        return False
    number, model = user.arguments
    return number is value and model is not value


def settle(module: Module) -> None:
    """Let every call be its first operand."""
    called = {module.functions[name] for name in STATED if name in module.functions}
    if not called:
        return
    for function in module.functions.values():
        for call in list(function.instructions()):
            if isinstance(call, Call) and call.callee in called:
                call.replace_uses_with(call.arguments[0])
                call.erase()
