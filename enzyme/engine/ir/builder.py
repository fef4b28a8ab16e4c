"""Makes instructions at a point and folds what is trivially constant.

Float folding keeps IEEE semantics exactly except for the identities that hold for derivatives by
construction: a product with a literal zero *tangent* is not formed at all by the callers, so nothing here
needs to drop nan or inf.
"""

from __future__ import annotations

from collections.abc import Sequence

from enzyme.engine.ir.instructions import (
    Aggregate,
    Alloca,
    Call,
    Cmp,
    Gep,
    Instruction,
    Load,
    Phi,
    Store,
    element_type,
)
from enzyme.engine.ir.module import Block, Function, Module, new_function
from enzyme.engine.ir.types import (
    I1,
    I8,
    I32,
    I64,
    PTR,
    VOID,
    FloatType,
    IntType,
    Type,
    VectorType,
    function_type,
    int_type,
    vector_type,
)
from enzyme.engine.ir.values import (
    Constant,
    ConstFloat,
    ConstInt,
    ConstSplat,
    Value,
    undef_of,
    zero_of,
)

_COMMUTES_WITH_ZERO = {"add", "or", "xor"}


class Builder:
    """Insertion point: the end of `block`, or before position `index` of it, which then moves along.

    `fast` are the fast-math words put on float arithmetic that the builder makes, `sums` further ones on sums.
    """

    def __init__(
        self,
        block: Block | None = None,
        index: int | None = None,
        fast: tuple[str, ...] = (),
        sums: tuple[str, ...] = (),
    ) -> None:
        self.block = block
        self.index = index
        self.fast = fast
        self.sums = sums

    def at_end(self, block: Block) -> None:
        self.block, self.index = block, None

    def before(self, instruction: Instruction) -> None:
        assert instruction.parent is not None
        self.block = instruction.parent
        self.index = self.block.index_of(instruction)

    def behind(self, instruction: Instruction) -> None:
        self.before(instruction)
        assert self.index is not None
        self.index += 1

    @property
    def function(self) -> Function:
        assert self.block is not None and self.block.parent is not None
        return self.block.parent

    @property
    def module(self) -> Module:
        module = self.function.module
        assert module is not None
        return module

    def add(self, instruction: Instruction) -> Instruction:
        """Put a ready instruction at the insertion point."""
        assert self.block is not None
        if self.index is None:
            self.block.append(instruction)
        else:
            self.block.insert(self.index, instruction)
            self.index += 1
        return instruction

    # Constants ------------------------------------------------------------------------------------------

    def const(self, type_: Type, value: float) -> Constant:
        """A constant of integers or floats, or a splat of one."""
        if isinstance(type_, VectorType):
            return ConstSplat(type_, self.const(type_.element, value))
        if isinstance(type_, IntType):
            return ConstInt(type_, int(value))
        return ConstFloat.of(type_, float(value))

    def i64(self, value: int) -> Constant:
        return ConstInt(I64, value)

    def zero(self, type_: Type) -> Constant:
        return zero_of(type_)

    # Arithmetic -----------------------------------------------------------------------------------------

    def binary(
        self,
        opcode: str,
        left: Value,
        right: Value,
        name: str = "",
        flags: tuple[str, ...] | None = None,
    ) -> Value:
        if opcode[0] == "f":
            if flags is None:
                flags = self.sums + self.fast if opcode in ("fadd", "fsub") else self.fast
            return self.add(Instruction(opcode, left.type, (left, right), name, flags))
        folded = _fold_int(opcode, left, right)
        if folded is not None:
            return folded
        return self.add(Instruction(opcode, left.type, (left, right), name, flags or ()))

    def fadd(self, left: Value, right: Value, name: str = "") -> Value:
        return self.binary("fadd", left, right, name)

    def fsub(self, left: Value, right: Value, name: str = "") -> Value:
        return self.binary("fsub", left, right, name)

    def fmul(self, left: Value, right: Value, name: str = "") -> Value:
        if _is_float(right, 1.0):
            return left
        if _is_float(left, 1.0):
            return right
        return self.binary("fmul", left, right, name)

    def fdiv(self, left: Value, right: Value, name: str = "") -> Value:
        if _is_float(right, 1.0):
            return left
        return self.binary("fdiv", left, right, name)

    def fneg(self, value: Value, name: str = "") -> Value:
        if isinstance(value, ConstFloat) and value.type.text in ("float", "double"):
            return ConstFloat.of(value.type, -value.value)
        return self.add(Instruction("fneg", value.type, (value,), name, self.fast))

    def iadd(self, left: Value, right: Value, name: str = "", flags: tuple[str, ...] = ()) -> Value:
        return self.binary("add", left, right, name, flags)

    def isub(self, left: Value, right: Value, name: str = "", flags: tuple[str, ...] = ()) -> Value:
        return self.binary("sub", left, right, name, flags)

    def imul(self, left: Value, right: Value, name: str = "", flags: tuple[str, ...] = ()) -> Value:
        return self.binary("mul", left, right, name, flags)

    def and_(self, left: Value, right: Value, name: str = "") -> Value:
        return self.binary("and", left, right, name)

    def or_(self, left: Value, right: Value, name: str = "") -> Value:
        return self.binary("or", left, right, name)

    def not_(self, value: Value, name: str = "") -> Value:
        return self.binary(
            "xor", value, self.const(value.type, 1 if value.type.scalar is I1 else -1), name
        )

    def cast(self, opcode: str, value: Value, type_: Type, name: str = "") -> Value:
        if value.type is type_ and opcode in (
            "bitcast",
            "zext",
            "sext",
            "trunc",
            "fpext",
            "fptrunc",
        ):
            return value
        return self.add(Instruction(opcode, type_, (value,), name))

    def as_count(self, value: Value, name: str = "") -> Value:
        """A number without sign as one of 64 bits; what is counted is never more."""
        assert isinstance(value.type, IntType)
        return self.cast("trunc" if value.type.bits > 64 else "zext", value, I64, name)

    # Compare and choose ---------------------------------------------------------------------------------

    def icmp(self, predicate: str, left: Value, right: Value, name: str = "") -> Value:
        return self.add(Cmp("icmp", predicate, left, right, name))

    def fcmp(self, predicate: str, left: Value, right: Value, name: str = "") -> Value:
        return self.add(Cmp("fcmp", predicate, left, right, name))

    def select(self, condition: Value, then: Value, other: Value, name: str = "") -> Value:
        if isinstance(condition, ConstInt):
            return then if condition.value else other
        if then is other:
            return then
        return self.add(Instruction("select", then.type, (condition, then, other), name))

    # Memory ---------------------------------------------------------------------------------------------

    def alloca(
        self, type_: Type, name: str = "", count: Value | None = None, align: int = 0
    ) -> Value:
        return self.add(Alloca(type_, PTR, count, align, name))

    def load(self, type_: Type, pointer: Value, name: str = "", align: int = 0) -> Load:
        made = Load(type_, pointer, align, name)
        self.add(made)
        return made

    def store(self, value: Value, pointer: Value, align: int = 0) -> Store:
        made = Store(value, pointer, align)
        self.add(made)
        return made

    def gep(
        self,
        source_type: Type,
        base: Value,
        indices: Sequence[Value],
        name: str = "",
        flags: tuple[str, ...] = (),
    ) -> Value:
        return self.add(Gep(source_type, base, indices, name, flags))

    def byte_offset(self, base: Value, offset: int, name: str = "") -> Value:
        return base if offset == 0 else self.gep(I8, base, [self.i64(offset)], name)

    # Aggregates -----------------------------------------------------------------------------------------

    def extract_value(self, aggregate: Value, indices: Sequence[int], name: str = "") -> Value:
        return self.add(
            Aggregate(
                "extractvalue", element_type(aggregate.type, indices), (aggregate,), indices, name
            )
        )

    def insert_value(
        self, aggregate: Value, value: Value, indices: Sequence[int], name: str = ""
    ) -> Value:
        return self.add(Aggregate("insertvalue", aggregate.type, (aggregate, value), indices, name))

    def make_struct(self, type_: Type, values: Sequence[Value]) -> Value:
        made: Value = undef_of(type_)
        for index, value in enumerate(values):
            made = self.insert_value(made, value, [index])
        return made

    # Calls ----------------------------------------------------------------------------------------------

    def call(
        self, callee: Function, arguments: Sequence[Value], name: str = "", fn_attributes: str = ""
    ) -> Call:
        kind, cc = callee.function_type, callee.convention
        made = Call(kind, callee, arguments, name, cc=cc, fn_attributes=fn_attributes)
        self.add(made)
        return made

    def call_named(
        self,
        symbol: str,
        ret: Type,
        arguments: Sequence[Value],
        name: str = "",
        *,
        declaration_suffix: str = "",
    ) -> Call:
        """Call an external function by symbol, declaring it where necessary."""
        wanted = function_type(ret, [a.type for a in arguments])
        return self.call(self.module.declare(symbol, wanted, declaration_suffix), arguments, name)

    def intrinsic(
        self,
        base: str,
        arguments: Sequence[Value],
        name: str = "",
        overload: Sequence[Type] | None = None,
    ) -> Call:
        """Call ``llvm.<base>.<suffixes>`` that returns the type of its first argument.

        ``intrinsic("sqrt", [x])`` calls ``llvm.sqrt.f64`` for a double.
        """
        types = [arguments[0].type] if overload is None else list(overload)
        symbol = ".".join(["llvm", base, *(mangle(t) for t in types)])
        made = self.call_named(symbol, arguments[0].type, arguments, name)
        made.flags = self.fast
        return made

    # Control --------------------------------------------------------------------------------------------

    def phi(self, type_: Type, name: str = "") -> Phi:
        made = Phi(type_, (), name)
        assert self.block is not None
        self.block.insert(self.block.first_non_phi(), made)
        if self.index is not None:
            self.index += 1
        return made

    def br(self, target: Block) -> Instruction:
        return self.add(Instruction("br", VOID, (target,)))

    def cond_br(self, condition: Value, then: Block, other: Block) -> Instruction:
        return self.add(Instruction("br", VOID, (condition, then, other)))

    def switch(
        self, value: Value, default: Block, cases: Sequence[tuple[Value, Block]]
    ) -> Instruction:
        flat: list[Value] = [value, default]
        for constant, block in cases:
            flat += (constant, block)
        return self.add(Instruction("switch", VOID, flat))

    def ret(self, value: Value | None = None) -> Instruction:
        return self.add(Instruction("ret", VOID, () if value is None else (value,)))

    def unreachable(self) -> Instruction:
        return self.add(Instruction("unreachable", VOID))


def scratch_builder() -> Builder:
    """Emits into a function that nobody will see: for dry runs."""
    return Builder(new_function(Module(), "scratch", VOID, []).append_block("scratch"))


def mangle(type_: Type) -> str:
    """The suffix that LLVM gives an overloaded intrinsic for this type."""
    if isinstance(type_, VectorType):
        return f"{'nx' if type_.scalable else ''}v{type_.count}{mangle(type_.element)}"
    if isinstance(type_, FloatType):
        return {"half": "f16", "bfloat": "bf16", "float": "f32", "double": "f64"}.get(
            type_.text,
            {"x86_fp80": "f80", "fp128": "f128", "ppc_fp128": "ppcf128"}.get(type_.text, ""),
        )
    if type_.is_pointer:
        return f"p{getattr(type_, 'addrspace', 0)}"
    return type_.text


def _is_float(value: Value, number: float) -> bool:
    return (
        isinstance(value, ConstFloat)
        and value.type.text in ("float", "double")
        and value.value == number
    )


def _fold_int(opcode: str, left: Value, right: Value) -> Value | None:
    if isinstance(left, ConstInt) and isinstance(right, ConstInt):
        a, b = left.value, right.value
        results = {
            "add": a + b,
            "sub": a - b,
            "mul": a * b,
            "and": a & b,
            "or": a | b,
            "xor": a ^ b,
        }
        if opcode in results:
            return ConstInt(left.type, results[opcode])
    if isinstance(right, ConstInt):
        if right.value == 0 and (
            opcode in _COMMUTES_WITH_ZERO or opcode in ("sub", "shl", "lshr", "ashr")
        ):
            return left
        if right.value == 1 and opcode in ("mul", "sdiv", "udiv") and right.type is not I1:
            return left
        if right.value == 0 and opcode in ("mul", "and"):
            return right
    if isinstance(left, ConstInt):
        if left.value == 0 and opcode in _COMMUTES_WITH_ZERO:
            return right
        if left.value == 1 and opcode == "mul" and left.type is not I1:
            return right
    return None


__all__ = ["I8", "I32", "I64", "Builder", "int_type", "mangle", "vector_type"]
