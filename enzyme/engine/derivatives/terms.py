"""The language that derivatives are written in: values as lazy terms, on which Python's operators emit code.

Terms of operands and of the result are lazy: a primal value is fetched when a formula computes with
it and not before. So a run that throws away what is emitted tells exactly which primal values the
reverse pass needs (`synthesis.recorder`).

Derivatives have the shape of what they belong to: the tangent or adjoint of a struct is a struct of
the same type (integer members are zero), that of a vector a vector.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal

from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.instructions import Instruction
from enzyme.engine.ir.types import I32, StructType, Type, VectorType, vector_type
from enzyme.engine.ir.values import ConstFloat, ConstInt, ConstSplat, Value
from enzyme.engine.ir.values import is_zero as is_zero_constant

# How a zero derivative is kept from an infinite partial: not at all, by a select, or by a call (`strong_product`);
# with "either" an infinite derivative is kept from a partial that is zero, too.
Guard = Literal["", "select", "call", "either"]


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


def splat(scalar: Term, like: Term) -> Term:
    """A scalar in every lane, where `like` is a vector."""
    kind = like.type
    if not isinstance(kind, VectorType):
        return scalar
    b = scalar.b
    start = of(b, b.zero(kind)).value
    first = b.add(Instruction("insertelement", kind, (start, scalar.value, ConstInt(I32, 0))))
    mask = b.zero(vector_type(kind.count, I32, kind.scalable))
    return of(b, b.add(Instruction("shufflevector", kind, (first, start, mask))))


def constant_number(value: Value | None) -> float | None:
    if isinstance(value, ConstSplat):
        return constant_number(value.element)
    if isinstance(value, ConstInt):
        return value.value
    if isinstance(value, ConstFloat) and value.type.text in ("half", "float", "double"):
        return value.value
    return 0.0 if value is not None and is_zero_constant(value) else None


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
