"""The shadows of constants of the module that are kept, or chosen, together with active memory.

Nobody writes to such a constant: forward mode reads zeros, and what reverse mode adds nobody asks for.
"""

from __future__ import annotations

from collections.abc import Callable

from enzyme.engine.analysis.activity_result import may_hold_pointer
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.datalayout import DataLayout
from enzyme.engine.ir.dispatch import Dispatch, Refusal, Refused
from enzyme.engine.ir.instructions import Instruction
from enzyme.engine.ir.module import Function
from enzyme.engine.ir.opcodes import CONSTANTS
from enzyme.engine.ir.types import I1, I8, I64, VOID
from enzyme.engine.ir.values import (
    ConstAggregate,
    Constant,
    ConstExpr,
    ConstInt,
    ConstSplat,
    GlobalVariable,
    Value,
    is_literal,
    kind_of,
    zero_of,
)
from enzyme.errors import EnzymeRuntimeActivityError


class ConstantShadows:
    """Makes them for one function, at its entry; what is made is noted in `created`, and in `fallible` where it may be
    null. `allocate` gives reverse mode memory."""

    def __init__(
        self,
        function: Function,
        layout: DataLayout,
        allocate: Callable[[Builder, Value], Value] | None,
        created: set[Instruction],
        fallible: dict[Instruction, tuple[Value, ...]],
    ) -> None:
        self.function = function
        self.layout = layout
        self.allocate = allocate
        self.created = created
        self.fallible = fallible
        self._made: dict[tuple[int, Value], Value] = {}

    def of(self, value: Value, lane: int) -> Value | None:
        """The shadow of an address in a lane; None where there is none."""
        known = self._made.get((lane, value))
        if known is not None:
            return known
        handler = ZEROS.handlers.get(kind_of(value)) if isinstance(value, Constant) else None
        made = None if handler is None else handler(self, value, lane)
        if made is not None:
            self._made[lane, value] = made
            if isinstance(made, Instruction):
                self.created.add(made)
        return made

    def _of_place(self, value: Value, lane: int) -> Value | None:
        assert isinstance(value, ConstExpr) and value.source_type is not None
        base = self.of(value.operands[0], lane)
        if base is None:
            return None
        return self._at_entry().gep(value.source_type, base, list(value.operands[1:]))

    def _of_variable(self, value: Value, lane: int) -> Value | None:
        assert isinstance(value, GlobalVariable)
        if not value.is_const or may_hold_pointer(value.value_type):
            return None
        return self._zeros_like(value)

    def _of_members(self, value: Value, lane: int) -> Value | None:
        """The same for each address in a constant, which keeps what else it holds."""
        assert isinstance(value, (ConstAggregate, ConstSplat))
        made: Value = value
        for index, member in enumerate(value.operands):
            if may_hold_pointer(member.type) and not is_literal(member):
                shadow = self.of(member, lane)
                if shadow is None or value.type.is_vector:
                    return None
                made = self._at_entry().insert_value(made, shadow, [index])
                assert isinstance(made, Instruction)
                self.created.add(made)
        return made

    def _zeros_like(self, constant: GlobalVariable) -> Value:
        module = self.function.module
        assert module is not None
        if self.allocate is None:
            name = module.fresh_symbol(f"{constant.name}.zeros")
            zeros = GlobalVariable(name, constant.value_type, True, zero_of(constant.value_type))
            zeros.prefix = "internal"
            module.globals[name] = zeros
            return zeros
        b = self._at_entry()
        size = ConstInt(I64, self.layout.size_of(constant.value_type))
        made = self.allocate(b, size)
        cleared = b.call_named(
            "llvm.memset.p0.i64", VOID, [made, ConstInt(I8, 0), size, ConstInt(I1, 0)]
        )
        assert isinstance(made, Instruction)
        self.created.add(cleared)
        self.fallible[made] = ()
        return made

    def _at_entry(self) -> Builder:
        """Where what is needed everywhere can be made."""
        entry = self.function.entry
        b = Builder(entry)
        if entry.is_terminated:
            b.before(entry.instructions[-1])
        return b


_UNKNOWN = Refused(EnzymeRuntimeActivityError, "constant memory used as differentiable data")

# Asked of constants that are kept or chosen together with active memory; literals are their own shadow.
ZEROS: Dispatch[Callable[[ConstantShadows, Value, int], Value | None]] = Dispatch(
    "shadows",
    "the shadow of an address that is kept with active memory",
    CONSTANTS,
    {
        "variable": Refusal(
            ConstantShadows._of_variable,
            EnzymeRuntimeActivityError,
            "if it may change or holds addresses",
        ),
        "getelementptr": ConstantShadows._of_place,
        "aggregate": ConstantShadows._of_members,
        "splat": Refusal(ConstantShadows._of_members, EnzymeRuntimeActivityError, "of addresses"),
    },
    ignored="""
    integer float null undef poison zeroinitializer none string function dso_local_equivalent
    no_cfi asm metadata ptrtoint ptrtoaddr trunc add sub xor
    """.split(),
    refused=dict.fromkeys(
        "alias inttoptr addrspacecast bitcast extractelement insertelement shufflevector".split(),
        _UNKNOWN,
    ),
    elsewhere=dict.fromkeys(("blockaddress", "ptrauth"), "constructs"),
)
