"""Derivatives that a program registers for its functions, in the form in which the engine takes rules.

A call of a function with rules, ``r = f(x, p)``, becomes ``enzyme.ruled.f(&r, x, p)``: the engine's rules speak of
functions that leave their results in memory (`engine.synthesis.ruled`). The functions around the program's own rules
are written here. The program's rules have the parameters of Enzyme's documentation:

* forward: every number and every pointer is followed by its tangent or shadow; it returns the tangent, or a structure
  of primal and tangent;
* augmented: every pointer is followed by its shadow; it returns the tape, or a structure of tape and result, or the
  result alone, or nothing;
* reverse: as the augmented form, then the adjoint of the result if that is a number, then the tape if there is one; it
  returns the adjoints of the parameters that are numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.instructions import Call
from enzyme.engine.ir.module import Function, Module
from enzyme.engine.ir.types import (
    I32,
    VOID,
    FloatType,
    function_type,
)
from enzyme.engine.ir.values import Value
from enzyme.engine.synthesis.ruled import RuledCall, RuledFunction, SplitRule
from enzyme.frontdoor.declarations import Declarations
from enzyme.frontdoor.rule_adapters import ForwardAdapter, SplitAdapter, unusable

RULED = "enzyme.ruled."


def call_by_rule(module: Module, call: Call) -> None:
    """Let a call leave its result in memory, as rules want it."""
    primal = call.callee
    assert isinstance(primal, Function)
    operands = list(call.arguments)
    place: Value | None = None
    if call.type is not VOID:
        if not isinstance(call.type, FloatType):
            raise unusable(
                primal, f"it returns {call.type}: rules are for functions that return a number"
            )
        entry = call.function.entry
        place = Builder(entry, entry.first_non_phi()).alloca(call.type)
        operands.insert(0, place)
    if not operands or call.opcode == "invoke" or primal.function_type.vararg:
        raise unusable(
            primal, "calls of it cannot be given to rules: it takes nothing, or may unwind"
        )
    b = Builder()
    b.before(call)
    kind = function_type(I32, [v.type for v in operands])
    ruled = module.declare(RULED + primal.name, kind, "nounwind")
    b.call(ruled, operands)
    if place is not None:
        call.replace_uses_with(b.load(call.type, place, call.name))
    call.erase()


@dataclass(slots=True)
class ProgramRules:
    """The rules of a module, as the engine asks for them: a `RuleProvider`.

    `functions` has the functions whose calls were rewritten, and those that are declared inactive.
    """

    module: Module
    declared: Declarations
    functions: dict[str, RuledFunction] = field(default_factory=dict)

    def forward(self, call: RuledCall) -> str:
        primal = self._primal(call)
        rule = self._here(self.declared.derivatives[primal])
        return ForwardAdapter(self.module, self._here(primal), call, rule).write()

    def split(self, call: RuledCall) -> SplitRule:
        primal = self._primal(call)
        augmented, reverse = map(self._here, self.declared.gradients[primal])
        return SplitAdapter(self.module, self._here(primal), call, augmented, reverse).write()

    def _primal(self, call: RuledCall) -> Function:
        name = call.symbol.removeprefix(RULED)
        known = {f.name: f for f in (*self.declared.gradients, *self.declared.derivatives)}
        return known[name]

    def _here(self, function: Function) -> Function:
        """What a function of the program is in this text of the module."""
        return self.module.functions[function.name]
