"""The table of derivatives: what a row is, the formulas it is written in, and how rows are found.

A row states, for each operand that can carry a derivative, the product of the incoming derivative
with the partial. One statement serves both modes: `Row.tangent` gives the part of the result's
tangent due to one operand, `Row.adjoint` the part of one operand's adjoint due to the result.

Formulas are Python functions of `(d, y, *x)`: incoming derivative, result, operands, all `Term`s.
Terms of operands and of the result are lazy: a primal value is fetched when a formula computes with
it and not before. So a run that throws away what is emitted tells exactly which primal values the
reverse pass needs (`synthesis.recorder`).

Derivatives have the shape of what they belong to: the tangent or adjoint of a struct is a struct of
the same type (integer members are zero), that of a vector a vector.

Rows speak of values only. Functions that write through pointers (`sincos`, `frexp`, `modf`, ...)
are first rewritten into value form by `libm.expand`.

Not here: select, phi, loads, stores, insert and extract, which need no mathematics; memory, BLAS.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Literal

from enzyme.engine.ir.builder import Builder, mangle
from enzyme.engine.ir.instructions import Call, Instruction
from enzyme.engine.ir.module import Function, Module
from enzyme.engine.ir.types import I32, StructType, Type, VectorType
from enzyme.engine.ir.values import Constant, ConstFloat, ConstInt, ConstSplat, Value
from enzyme.engine.ir.values import is_zero as is_zero_constant

# How a zero derivative is kept from an infinite partial: not at all, by a select, or by a call (`strong_product`);
# with "either" an infinite derivative is kept from a partial that is zero, too.
Guard = Literal["", "select", "call", "either"]


# Formulas ---------------------------------------------------------------------------------------


class Term:
    """A value inside a formula. Python operators emit instructions; numbers become constants."""

    __slots__ = ("_fetch", "_value", "b", "called", "guard", "type")

    def __init__(
        self,
        b: Builder,
        type_: Type,
        value: Value | None = None,
        fetch: Callable[[], Value] | None = None,
        guard: Guard = "",
        called: Callable[[str], Value | None] | None = None,
    ) -> None:
        self.guard = guard
        self.called = called
        self.b = b
        self.type = type_
        self._value = value
        self._fetch = fetch

    @property
    def value(self) -> Value:
        """The IR value; asking for it is what makes a primal value needed."""
        if self._value is None:
            assert self._fetch is not None
            self._value = self._fetch()
        return self._value

    @property
    def number(self) -> float | None:
        """The number, if this is a constant (or a vector of one repeated constant)."""
        return constant_number(self._value)

    def like(self, other: Term | float) -> Term:
        """A number as a constant of this term's type; a term as it is."""
        if isinstance(other, Term):
            return other
        return of(self.b, self.b.const(self.type, other))

    def __add__(self, other: Term | float) -> Term:
        return of(self.b, self.b.fadd(self.value, self.like(other).value))

    def __radd__(self, other: float) -> Term:
        return self.like(other) + self

    def __sub__(self, other: Term | float) -> Term:
        return of(self.b, self.b.fsub(self.value, self.like(other).value))

    def __rsub__(self, other: float) -> Term:
        return self.like(other) - self

    def __mul__(self, other: Term | float) -> Term:
        return of(self.b, self.b.fmul(self.value, self.like(other).value))

    def __rmul__(self, other: float) -> Term:
        return self * other

    def __truediv__(self, other: Term | float) -> Term:
        return of(self.b, self.b.fdiv(self.value, self.like(other).value))

    def over(self, other: Term) -> Term:
        """The quotient by one division: 1 / other may be infinite where the quotient is not."""
        flags = tuple(word for word in self.b.fast if word != "arcp")
        return of(self.b, self.b.binary("fdiv", self.value, other.value, flags=flags))

    def __rtruediv__(self, other: float) -> Term:
        return self.like(other) / self

    def __neg__(self) -> Term:
        return of(self.b, self.b.fneg(self.value))

    def member(self, *indices: int) -> Term:
        """A member of a struct."""
        value = self.b.extract_value(self.value, indices)
        return Term(self.b, value.type, value, guard=self.guard)

    def lane(self, index: int) -> Term:
        """A lane of a vector."""
        vector, place = self.value, ConstInt(I32, index)
        made = Instruction("extractelement", vector.type.scalar, (vector, place))
        return Term(self.b, made.type, self.b.add(made), guard=self.guard)


def times(d: Term, partial: Term) -> Term:
    """The product of a derivative with a partial, exactly zero where `d` is zero if that is asked for. Rows do this
    for every lane by themselves; formulas whose `d` and product differ in shape do it where they multiply."""
    return kept(d, d * partial, lambda: partial)


def kept(d: Term, product: Term, partial: Callable[[], Term]) -> Term:
    """`product` guarded as `d` asks for: the product as it is, in its own order of operations, or zero. The partial
    alone may overflow or underflow where the product does not."""
    if d.guard in _PRODUCTS:
        return strong_product(d, partial(), product, _PRODUCTS[d.guard])
    return guarded(d, product) if d.guard else product


def guarded(d: Term, product: Term) -> Term:
    """`product`, or exactly zero where `d` is zero."""
    zero = of(d.b, d.b.zero(product.type))
    return where(compare("oeq", d, 0.0), zero, product)


STRONG_PRODUCT = "enzyme.strong_product"
EITHER_ZERO = "enzyme.either_zero"
_PRODUCTS: dict[Guard, str] = {"call": STRONG_PRODUCT, "either": EITHER_ZERO}


def strong_product(
    d: Term, partial: Term, product: Term | None = None, name: str = STRONG_PRODUCT
) -> Term:
    """The product of a derivative and a partial, zero where d is zero, as a call: what a comparison decides has no
    derivative there, the product has. With EITHER_ZERO, also zero where the partial is and the product is NaN.
    `product` is what the formula computes, ``d * partial`` if not given."""
    symbol = f"{name}.{mangle(d.type)}"
    values = [d.value, partial.value, (d * partial if product is None else product).value]
    return of(d.b, d.b.call_named(symbol, d.type, values, declaration_suffix=PURE))


def ignored_operands(call: Call) -> Sequence[Value]:
    """What such a product does not look at where its first factor, or one of both, is zero."""
    if call.callee_name.startswith(STRONG_PRODUCT):
        return call.arguments[1:]
    return call.arguments if call.callee_name.startswith(EITHER_ZERO) else ()


def define_products(module: Module) -> None:
    """Give `strong_product` and its relative their bodies, where nothing will be differentiated any more."""
    for function in list(module.functions.values()):
        kind = next((k for k in (STRONG_PRODUCT, EITHER_ZERO) if function.name.startswith(k)), "")
        if not kind or not function.is_declaration:
            continue
        b = Builder(function.append_block("entry"))
        d, partial, product = (of(b, a) for a in function.args)
        if kind == EITHER_ZERO:
            product = unless_lost(partial, product, 0.0, product)
        b.ret(guarded(d, product).value)
        function.prefix, function.suffix = "internal", f"{PURE} alwaysinline"


def unless_lost(partial: Term, product: Term, lost: Term | float, other: Term | float) -> Term:
    """`lost` where a partial of zero met an infinite derivative, else `other`."""
    met = where(compare("oeq", partial, 0.0), lost, other)
    return where(compare("uno", product, product), met, other)


def of(b: Builder, value: Value) -> Term:
    return Term(b, value.type, value)


def compare(predicate: str, left: Term, right: Term | float) -> Term:
    """``fcmp`` of floats, ``icmp`` of integers."""
    other = left.like(right).value
    emit = left.b.icmp if left.type.scalar.is_int else left.b.fcmp
    return of(left.b, emit(predicate, left.value, other))


def where(condition: Term, then: Term | float, other: Term | float) -> Term:
    """``select``; one of the two must be a term."""
    if isinstance(then, Term):
        chosen, rest = then, then.like(other)
    else:
        assert isinstance(other, Term)
        chosen, rest = other.like(then), other
    return of(condition.b, condition.b.select(condition.value, chosen.value, rest.value))


def intrinsic(name: str, first: Term, *rest: Term | float, overload: Sequence[Type] = ()) -> Term:
    """``llvm.<name>``, overloaded on the first term's type unless told otherwise."""
    arguments = [first.value, *(first.like(r).value for r in rest)]
    return of(first.b, first.b.intrinsic(name, arguments, overload=list(overload) or None))


def companion(name: str, x: Term) -> Term:
    """``llvm.<name>`` of an operand; the program's own result where it calls the function there too."""
    known = x.called(name) if x.called is not None else None
    return intrinsic(name, x) if known is None else of(x.b, known)


def libm(name: str, type_: Type, *arguments: Term) -> Term:
    """A pure C library function in the variant for `type_`: ``j0`` or ``j0f``."""
    suffix = {"float": "f", "double": "", "x86_fp80": "l"}.get(type_.text)
    if suffix is None:
        raise NotImplementedError(f"{name} of type {type_}")
    b = arguments[0].b
    values = [a.value for a in arguments]
    return of(b, b.call_named(name + suffix, type_, values, declaration_suffix=PURE))


def cast(opcode: str, term: Term, type_: Type) -> Term:
    """Any cast; to a vector where the term is one."""
    return of(term.b, term.b.cast(opcode, term.value, type_))


PURE = "nounwind willreturn memory(none)"


def constant_number(value: Value | None) -> float | None:
    if isinstance(value, ConstSplat):
        return constant_number(value.element)
    if isinstance(value, ConstInt):
        return value.value
    if isinstance(value, ConstFloat) and value.type.text in ("half", "float", "double"):
        return value.value
    return 0.0 if value is not None and is_zero_constant(value) else None


# Operands ---------------------------------------------------------------------------------------


class Operands:
    """Where a formula finds primal values: types at once, values on demand.

    `fetch` maps a primal value to the value to be used at the builder's place. It is not asked for
    constants, and only for what the formula computes with.
    """

    __slots__ = ("fetch", "instruction", "primal")

    def __init__(
        self, instruction: Instruction, fetch: Callable[[Value], Value] | None = None
    ) -> None:
        self.instruction = instruction
        self.primal: Sequence[Value] = primal_operands(instruction)
        self.fetch = fetch

    def operand(self, b: Builder, index: int) -> Term:
        value = self.primal[index]
        if self.fetch is None or value.is_constant:
            return of(b, value)
        fetch = self.fetch
        return Term(b, value.type, fetch=lambda: fetch(value), called=self._caller_of(value))

    def _caller_of(self, value: Value) -> Callable[[str], Value | None]:
        """What gives the results of other calls on `value`, by name: only those of the same block, which have run
        whenever this instruction has."""

        def called(name: str) -> Value | None:
            symbols = {f"llvm.{name}", name, f"{name}f", f"{name}l"}
            for user in value.users:
                if (
                    isinstance(user, Call)
                    and user.parent is self.instruction.parent
                    and list(user.arguments) == [value]
                    and base_of_intrinsic(user.callee_name) in symbols
                    and row_for_call(user) is not None
                ):
                    assert self.fetch is not None
                    return self.fetch(user)
            return None

        return called

    def result(self, b: Builder) -> Term:
        if self.fetch is None:
            return of(b, self.instruction)
        fetch, instruction = self.fetch, self.instruction
        return Term(b, instruction.type, fetch=lambda: fetch(instruction))


def primal_operands(instruction: Instruction) -> Sequence[Value]:
    return instruction.arguments if isinstance(instruction, Call) else instruction.operands


# Rows -------------------------------------------------------------------------------------------

Formula = Callable[..., Term | None]


@dataclass(frozen=True, slots=True)
class Rule:
    """How one operand's derivative passes; both ways are linear in `d`.

    `exact`: the product is `d` itself up to sign, scale by a power of two, choice or rounding, so
    that zero in gives zero out whatever the operands. `late`: the second factor of the adjoint, which is
    far from one where the first is, in the other direction, and had better be multiplied on when that is not
    so any more; the first is then `early`.
    """

    tangent: Formula
    adjoint: Formula
    exact: bool = False
    early: Formula | None = None
    late: Formula | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """The derivative of one function or instruction.

    `rules[i]` belongs to operand `i`; None where the operand carries no derivative (an integer, a
    pointer) or has none. A row without any rule says "known, and its result is constant".
    """

    name: str
    rules: tuple[Rule | None, ...]
    note: str = ""

    @property
    def active_operands(self) -> tuple[int, ...]:
        """The operands from which a derivative can flow into the result."""
        return tuple(i for i, rule in enumerate(self.rules) if rule is not None)

    def tangent(
        self, b: Builder, index: int, d: Value, operands: Operands, *, guard: Guard = ""
    ) -> Value | None:
        """The part of the result's tangent due to operand `index` with tangent `d`; None is zero."""
        rule = self.rules[index] if index < len(self.rules) else None
        if rule is None:
            return None
        return self._product(b, rule.tangent, rule.exact, d, operands, guard)

    def adjoint(
        self, b: Builder, index: int, d: Value, operands: Operands, *, guard: Guard = ""
    ) -> Value | None:
        """What the result's adjoint `d` adds to the adjoint of operand `index`; None is zero."""
        rule = self.rules[index] if index < len(self.rules) else None
        if rule is None:
            return None
        return self._product(b, rule.adjoint, rule.exact, d, operands, guard)

    def factors(
        self, b: Builder, index: int, d: Value, operands: Operands
    ) -> tuple[Value, Value] | None:
        """The adjoint of operand `index` as two factors (see `Rule`); None if it is not written like that."""
        rule = self.rules[index]
        if rule is None or rule.early is None or rule.late is None:
            return None
        terms = [operands.operand(b, k) for k in range(len(operands.primal))]
        incoming, result = of(b, d), operands.result(b)
        early = rule.early(incoming, result, *terms)
        late = rule.late(incoming, result, *terms)
        assert early is not None and late is not None
        return early.value, late.value

    def _product(
        self,
        b: Builder,
        formula: Formula,
        exact: bool,
        d: Value,
        operands: Operands,
        guard: Guard,
    ) -> Value | None:
        terms = [operands.operand(b, k) for k in range(len(operands.primal))]
        result = operands.result(b)
        incoming = Term(b, d.type, d, guard=guard)
        plain = exact or not guard or not d.type.scalar.is_float
        product = formula(incoming, result, *terms)
        if product is None:
            return None
        if not plain and product.type is d.type and product.value is not d:

            def partial() -> Term:
                """The product with one."""
                found = formula(of(b, b.const(d.type, 1.0)), result, *terms)
                assert found is not None
                return found

            product = kept(incoming, product, partial)
        return product.value


# Writing rows -----------------------------------------------------------------------------------


def rule(formula: Formula) -> Rule:
    """The product of `d` with a partial, lane by lane: the same both ways."""
    return Rule(formula, formula)


def exact(formula: Formula) -> Rule:
    """As `rule`, for a product that cannot turn a zero into anything else."""
    return Rule(formula, formula, exact=True)


def in_two(early: Formula, late: Formula) -> Rule:
    """As `rule`, for the product of two formulas, of which the second has no `d`."""

    def product(d: Term, y: Term, *x: Term) -> Term:
        first, second = early(d, y, *x), late(d, y, *x)
        assert first is not None and second is not None
        return first * second

    return Rule(product, product, early=early, late=late)


IDENTITY = exact(lambda d, y, *x: d)
NEGATION = exact(lambda d, y, *x: -d)


class Table:
    """Rows by symbol."""

    def __init__(self) -> None:
        self.rows: dict[str, Row] = {}

    def add(self, names: str, *rules: Rule | Formula | None, note: str = "") -> None:
        """One row under each of the blank-separated names."""
        made = tuple(r if r is None or isinstance(r, Rule) else rule(r) for r in rules)
        for name in names.split():
            if name in self.rows:
                raise ValueError(f"two rows for {name}")
            self.rows[name] = Row(name, made, note)

    def constant(self, names: str, note: str = "") -> None:
        """Functions whose derivative is zero wherever it exists."""
        self.add(names, note=note or "piecewise constant")


SYMBOLS = Table()
OPCODES = Table()

_ROW_FILES = (
    "arithmetic",
    "casts",
    "minmax",
    "intrinsics",
    "packed_tanh",
    "libm",
    "special",
    "complex",
    "stated",
)
_loaded: list[bool] = []


def lookup(name: str) -> Row | None:
    """The row of a symbol: ``llvm.sin.f64``, ``llvm.pow.v4f32``, ``sinf``, ``hypot``."""
    _load()
    found = SYMBOLS.rows.get(name)
    if found is None and name.startswith("llvm."):
        found = SYMBOLS.rows.get(base_of_intrinsic(name))
    if found is None and name.startswith("enzyme."):  # the linker numbers internal namesakes
        found = SYMBOLS.rows.get(base_of_intrinsic(_NUMBERED.sub("", name)))
    return found


def row_for_call(call: Call) -> Row | None:
    """The row of a call, by the symbol and by the shape: a function of the program's own with a body,
    or one of that name with other operands, has none."""
    row = lookup(call.callee_name)
    if row is None:
        return None
    callee = call.callee
    ours = call.callee_name.startswith("enzyme.")
    if isinstance(callee, Function) and not callee.is_declaration and not ours:
        return None
    types = call.function_type.params
    if any(t.is_pointer for t in types) or call.function_type.vararg or call.type.is_pointer:
        return None
    if row.rules and len(row.rules) != len(types):
        return None
    for index in row.active_operands:
        if not types[index].scalar.is_float:
            return None
    return row


def row_for_instruction(opcode: str) -> Row | None:
    """The row of an arithmetic or cast instruction."""
    _load()
    return OPCODES.rows.get(opcode)


def base_of_intrinsic(name: str) -> str:
    """``llvm.powi`` of ``llvm.powi.f64.i32``."""
    while (shorter := _MANGLED.sub("", name)) != name:
        name = shorter
    return name


_NUMBERED = re.compile(r"(\.\d+)+$")
_MANGLED = re.compile(r"\.(nx)?(v\d+)?(bf16|f16|f32|f64|f80|f128|ppcf128|i\d+|p\d+)$")


def all_symbols() -> list[str]:
    """Every symbol with a row, sorted; intrinsics without their type suffix."""
    _load()
    return sorted(SYMBOLS.rows)


def _load() -> None:
    # The files of rows import this one, so they are read when first asked for.
    if not _loaded:
        _loaded.append(True)
        for name in _ROW_FILES:
            import_module(f"enzyme.engine.derivatives.{name}")


def struct_of(b: Builder, type_: Type, members: Iterable[tuple[int, Term]]) -> Term:
    """A struct that is zero but for the given members."""
    assert isinstance(type_, StructType)
    made: Value = b.zero(type_)
    for index, member in members:
        made = b.insert_value(made, member.value, [index])
    return of(b, made)


def lanes(type_: Type) -> int:
    """The number of lanes of a fixed vector."""
    if not isinstance(type_, VectorType) or type_.scalable:
        raise NotImplementedError(f"a formula lane by lane for type {type_}")
    return type_.count


__all__ = [
    "IDENTITY",
    "NEGATION",
    "OPCODES",
    "SYMBOLS",
    "Constant",
    "Operands",
    "Row",
    "Rule",
    "Table",
    "Term",
    "all_symbols",
    "lookup",
    "row_for_call",
    "row_for_instruction",
]
