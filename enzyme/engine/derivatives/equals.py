"""A number that is there already, and another way to compute it, which the derivative goes.

``enzyme.same(number, other)`` is `number`, and has the derivative of `other`, which is equal to it
(`engine.preprocess.winners`). It is declared and never defined; `settle_equals` puts the number in its place when no
derivative of the module will be taken any more, and what only the other one was computed for goes.
"""

from __future__ import annotations

from enzyme.engine.derivatives.catalogue import define
from enzyme.engine.derivatives.table import IDENTITY
from enzyme.engine.derivatives.terms import PURE
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.instructions import Call
from enzyme.engine.ir.module import Module
from enzyme.engine.ir.types import DOUBLE, FLOAT, Type
from enzyme.engine.ir.values import Value

SAME = "enzyme.same"
_KINDS: dict[Type, str] = {DOUBLE: "f64", FLOAT: "f32"}

define(
    " ".join(f"{SAME}.{kind}" for kind in _KINDS.values()),
    None,
    IDENTITY,
    bound=lambda x, overflow: x[1],
    cheap=True,
)


def equal(b: Builder, number: Value, other: Value) -> Value:
    """`number`, with the derivative of `other`; that itself for types that have no such function."""
    kind = _KINDS.get(number.type)
    if kind is None:
        return other
    symbol = f"{SAME}.{kind}"
    return b.call_named(symbol, number.type, [number, other], declaration_suffix=PURE)


def settle_equals(module: Module) -> None:
    """Put the numbers in their places."""
    for function in list(module.functions.values()):
        for call in list(function.instructions()):
            if isinstance(call, Call) and call.callee_name.startswith(SAME):
                call.replace_uses_with(call.arguments[0])
                call.erase()


__all__ = ["equal", "settle_equals"]
