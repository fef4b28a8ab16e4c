"""Conversions between float types, and integer tricks on the bits of floats.

Widening and narrowing are linear: a tangent is converted as the primal is, an adjoint the other way
round. Conversions from and to integers are constant.
"""

from __future__ import annotations

from enzyme.engine.derivatives.table import OPCODES, Rule, Term, cast


def _as_primal(opcode: str) -> Rule:
    back = "fptrunc" if opcode == "fpext" else "fpext"

    def tangent(d: Term, y: Term, x: Term) -> Term:
        return cast(opcode, d, y.type)

    def adjoint(d: Term, y: Term, x: Term) -> Term:
        return cast(back, d, x.type)

    return Rule(tangent, adjoint, exact=True)


OPCODES.add("fpext", _as_primal("fpext"))
OPCODES.add("fptrunc", _as_primal("fptrunc"))
OPCODES.constant("fptoui fptosi uitofp sitofp fcmp", note="the integer side is inactive")
