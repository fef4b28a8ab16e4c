"""Derivatives of linear algebra: tangents and adjoints as calls of the same routines.

With S* the conjugate transpose and a bar over an adjoint, C = alpha op(A) op(B) + beta C gives

    d op(A) += conj(alpha) dC op(B)*      d op(B) += conj(alpha) op(A)* dC      dC = conj(beta) dC

and `op` is undone by transposing and conjugating both sides. An `Op` says which of the two is done to a matrix.
BLAS cannot conjugate without transposing; then the whole equation is conjugated, target included, in place.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from enzyme.engine.derivatives.linear_calls import (
    PRIMAL,
    Fetch,
    LinearCall,
    Rule,
    Shadow,
    is_complex,
    number_type,
    symbol,
)
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.instructions import Call
from enzyme.engine.ir.types import I1, I8, I64, VOID, StructType, Type
from enzyme.engine.ir.values import ConstInt, Value, is_zero, undef_of

_EFFECTS = "nounwind willreturn memory(argmem: readwrite)"
_ONE = ConstInt(I64, 1)


@dataclass(frozen=True, slots=True)
class Op:
    transposed: bool
    conjugated: bool

    @property
    def star(self) -> Op:
        """The conjugate transpose on top of this."""
        return Op(not self.transposed, not self.conjugated)

    def then(self, other: Op) -> Op:
        return Op(self.transposed ^ other.transposed, self.conjugated ^ other.conjugated)


PLAIN, CONJUGATE = Op(False, False), Op(False, True)
_LETTERS = {"n": PLAIN, "t": Op(True, False), "c": Op(True, True)}


def op_of(value: Value) -> Op | None:
    """The operation that a character operand names; None if it is not known."""
    return _LETTERS.get(chr(value.value & 127).lower()) if isinstance(value, ConstInt) else None


@dataclass(frozen=True, slots=True)
class Matrix:
    """A matrix in memory, and how it takes part in a product; `ours` says that it may be conjugated in place."""

    pointer: Value
    ld: Value
    rows: Value
    columns: Value
    op: Op = PLAIN
    ours: bool = False

    def under(self, op: Op) -> Matrix:
        return Matrix(self.pointer, self.ld, self.rows, self.columns, self.op.then(op), self.ours)


class Emitter:
    """Calls of routines and kernels of one kind."""

    def __init__(self, b: Builder, kind: str) -> None:
        self.b = b
        self.kind = kind
        self.complex = is_complex(kind)
        self.type: Type = number_type(kind)

    def number(self, value: float) -> Value:
        if not isinstance(self.type, StructType):
            return self.b.const(self.type, value)
        part = (self.type.elements or ())[0]
        return self.b.make_struct(self.type, [self.b.const(part, value), self.b.const(part, 0.0)])

    def conjugate(self, value: Value, wanted: bool = True) -> Value:
        if not (self.complex and wanted):
            return value
        part = self.b.fneg(self.b.extract_value(value, [1]))
        return self.b.insert_value(value, part, [1])

    def call(self, name: str, arguments: list[Value], ret: Type = VOID) -> Call:
        return self.b.call_named(
            symbol(name, self.kind), ret, arguments, declaration_suffix=_EFFECTS
        )

    def letter(self, op: Op) -> Value:
        if not self.complex:
            op = Op(op.transposed, False)
        word = next(w for w, meaning in _LETTERS.items() if meaning == op)
        return ConstInt(I8, ord(word))

    def flag(self, on: bool) -> Value:
        return ConstInt(I1, int(on and self.complex))

    def conjugate_memory(self, m: Matrix) -> None:
        self.call("conj", [m.rows, m.columns, m.pointer, m.ld])

    def scale(self, m: Matrix, factor: Value) -> None:
        self.call("scale", [m.rows, m.columns, factor, m.pointer, m.ld])

    def axpy(self, conj: bool, n: Value, alpha: Value, x: Value, y: Value) -> None:
        self.call("axpy", [self.flag(conj), n, alpha, x, y])

    def add_product(
        self, target: Matrix, factor: Value, left: Matrix, right: Matrix, inner: Value
    ) -> None:
        """Target += factor left right, for any operations on the two; one of the two may be `ours`."""
        sides = [left, right]
        flip = self.complex and any(s.op == CONJUGATE and not s.ours for s in sides)
        if flip:
            sides = [s.under(CONJUGATE) for s in sides]
            factor = self.conjugate(factor)
        turned = [s for s in sides if self.complex and s.op == CONJUGATE]
        assert all(s.ours for s in turned), "two factors that belong to the program"
        in_place = [*turned, *([target] if flip else [])]
        for m in in_place:
            self.conjugate_memory(m)
        sides = [s.under(CONJUGATE) if s in turned else s for s in sides]
        self.product(target, factor, sides[0], sides[1], inner)
        for m in in_place:
            self.conjugate_memory(m)

    def product(
        self,
        target: Matrix,
        factor: Value,
        left: Matrix,
        right: Matrix,
        inner: Value,
        beta: Value | None = None,
    ) -> None:
        """Target = factor left right + beta target, as BLAS can do it; without `beta` the target stays as it is."""
        beta = beta or self.number(1.0)
        if target.columns is _ONE and right.op == PLAIN:
            arguments = [self.letter(left.op), left.rows, left.columns, factor]
            arguments += [left.pointer, left.ld, right.pointer, beta, target.pointer]
            self.call("gemv", arguments)
            return
        arguments = [self.letter(left.op), self.letter(right.op)]
        arguments += [target.rows, target.columns, inner, factor]
        arguments += [left.pointer, left.ld, right.pointer, right.ld]
        self.call("gemm", [*arguments, beta, target.pointer, target.ld])


def shape(call: LinearCall, operand: str, fetch: Fetch) -> tuple[Value, Value]:
    """Rows and columns of an operand as it lies in memory; a vector is one column."""
    rows, columns, *letter = call.routine.shapes[operand]
    if letter and _operation(call, letter[0]).transposed:
        rows, columns = columns, rows
    if leading(call, operand) is None:
        return fetch(rows), _ONE
    return _ONE if rows == "1" else fetch(rows), fetch(columns)


def leading(call: LinearCall, operand: str) -> str | None:
    """The operand that holds the leading dimension; None for a vector."""
    names = (f"ld{operand}", f"inc{operand}")
    return next((name for name in names if name in call.routine.operands), None)


def matrix(call: LinearCall, operand: str, fetch: Fetch, shadow: Value | None = None) -> Matrix:
    """An operand, or its shadow."""
    rows, columns = shape(call, operand, fetch)
    name = leading(call, operand)
    if shadow is not None:
        ld = rows if name is None else fetch(name)
        return Matrix(shadow, ld, rows, columns, PLAIN, True)
    ld = rows if name is None else fetch(PRIMAL + name)
    return Matrix(fetch(operand), ld, rows, columns)


# Products -------------------------------------------------------------------------------------------


def _factors(call: LinearCall) -> tuple[str, str, str]:
    """The two factors of a product, and where it goes (empty: it is returned)."""
    assert call.routine.factors is not None
    return call.routine.factors


def needed(call: LinearCall, shadowed: Callable[[str], bool]) -> list[str]:
    left, right, result = _factors(call)
    if result and not shadowed(result):
        return []
    return [o for o, other in ((left, right), (right, left)) if shadowed(other)]


def tangent(b: Builder, call: LinearCall, fetch: Fetch, shadow: Shadow) -> Value | None:
    """Emit the tangent; returns that of the result where the routine returns a number."""
    e = Emitter(b, call.kind)
    left, right, result = _factors(call)
    pairs = [(shadow(left), None), (None, shadow(right))]
    pairs = [pair for pair in pairs if pair != (None, None)]
    if not result:
        return _dot_tangent(e, call, fetch, pairs)
    target = shadow(result)
    if target is None:
        return None
    product = matrix(call, result, fetch, target)
    if not pairs:
        e.scale(product, fetch("beta"))
    beta = fetch("beta")
    for d_left, d_right in pairs:
        first = matrix(call, left, fetch, d_left).under(_op(call, left))
        second = matrix(call, right, fetch, d_right).under(_op(call, right))
        e.product(product, fetch("alpha"), first, second, _inner(call, fetch), beta)
        beta = e.number(1.0)
    return None


def _dot_tangent(
    e: Emitter, call: LinearCall, fetch: Fetch, pairs: list[tuple[Value | None, Value | None]]
) -> Value | None:
    total: Value | None = None
    for d_left, d_right in pairs:
        arguments = [fetch("n"), d_left or fetch("x"), d_right or fetch("y")]
        part = e.call(call.routine.name, arguments, e.type)
        total = part if total is None else _sum(e, total, part)
    return total


def _sum(e: Emitter, left: Value, right: Value) -> Value:
    b = e.b
    if not e.complex:
        return b.fadd(left, right)
    parts = [b.fadd(b.extract_value(left, [k]), b.extract_value(right, [k])) for k in (0, 1)]
    made: Value = undef_of(e.type)
    for k, part in enumerate(parts):
        made = b.insert_value(made, part, [k])
    return made


def adjoint(b: Builder, call: LinearCall, fetch: Fetch, shadow: Shadow, d: Value | None) -> None:
    """Emit the adjoint; `d` is that of a number that the routine returns."""
    e = Emitter(b, call.kind)
    left, right, result = _factors(call)
    if not result:
        if d is not None:
            _dot_adjoint(e, call, fetch, shadow, d)
        return
    seed = shadow(result)
    if seed is None:
        return
    product = matrix(call, result, fetch, seed)
    if shadow(left) is not None or shadow(right) is not None:
        alpha = e.conjugate(fetch("alpha"))
        if _is_with_itself(call) and shadow(left) is shadow(right):
            e.call("symmetric", [product.rows, product.pointer, product.ld])
        else:
            _right_adjoint(e, call, fetch, shadow, product, alpha)
        _left_adjoint(e, call, fetch, shadow, product, alpha)
    e.scale(product, e.conjugate(fetch("beta")))


def _is_with_itself(call: LinearCall) -> bool:
    """Is it the product of a real matrix and its transpose, and is what was in the target not needed?

    With C = A A^T both adjoints add up to (dC + dC^T) A, with C = A^T A to A (dC + dC^T): one product instead of two.
    """
    if call.routine.name != "gemm" or is_complex(call.kind):
        return False
    first, second = _operation(call, "transa"), _operation(call, "transb")
    ld, other = call["lda"], call["ldb"]
    known = isinstance(ld, ConstInt) and isinstance(other, ConstInt) and ld.value == other.value
    same = call["a"] is call["b"] and (ld is other or known)
    return same and first.transposed != second.transposed and is_zero(call["beta"])


def _dot_adjoint(e: Emitter, call: LinearCall, fetch: Fetch, shadow: Shadow, d: Value) -> None:
    conjugates = call.routine.name == "dotc"
    d_left, d_right = shadow("x"), shadow("y")
    if d_left is not None:
        seed = e.conjugate(d, conjugates)
        e.axpy(not conjugates, fetch("n"), seed, fetch("y"), d_left)
    if d_right is not None:
        e.axpy(not conjugates, fetch("n"), d, fetch("x"), d_right)


def _op(call: LinearCall, operand: str) -> Op:
    """What is done to a factor; nothing to a vector."""
    letters = [f"trans{operand}"] + ["trans"] * (leading(call, operand) is not None)
    letter = next((name for name in letters if name in call.routine.operands), None)
    return PLAIN if letter is None else _operation(call, letter)


def _operation(call: LinearCall, letter: str) -> Op:
    op = op_of(call[letter])
    assert op is not None
    return op


def _inner(call: LinearCall, fetch: Fetch) -> Value:
    """The dimension that the product sums over."""
    return fetch("k") if "k" in call.routine.operands else shape(call, "x", fetch)[0]


def _left_adjoint(
    e: Emitter, call: LinearCall, fetch: Fetch, shadow: Shadow, seed: Matrix, alpha: Value
) -> None:
    left, right, _ = _factors(call)
    d_left = shadow(left)
    if d_left is None:
        return
    op = _op(call, left)
    target = matrix(call, left, fetch, d_left)
    other = matrix(call, right, fetch).under(_op(call, right).star)
    factor = e.conjugate(alpha, op.conjugated)
    first, second = seed.under(op), other.under(op)
    if op.transposed:
        first, second = second, first
    if leading(call, right) is None:
        flags = [e.flag(first.op.conjugated), e.flag(second.op.conjugated)]
        vectors = [factor, first.pointer, second.pointer]
        e.call("ger", [*flags, target.rows, target.columns, *vectors, target.pointer, target.ld])
        return
    e.add_product(target, factor, first, second, seed.columns)


def _right_adjoint(
    e: Emitter, call: LinearCall, fetch: Fetch, shadow: Shadow, seed: Matrix, alpha: Value
) -> None:
    left, right, _ = _factors(call)
    d_right = shadow(right)
    if d_right is None:
        return
    op = _op(call, right)
    target = matrix(call, right, fetch, d_right)
    other = matrix(call, left, fetch).under(_op(call, left).star)
    factor = e.conjugate(alpha, op.conjugated)
    first, second = other.under(op), seed.under(op)
    if op.transposed:
        first, second = second, first
    e.add_product(target, factor, first, second, seed.rows)


def is_understood(call: LinearCall) -> bool:
    """Are the operations known, so that there is a rule?"""
    letters = [o for o in call.routine.operands if o.startswith("trans")]
    return all(op_of(call[o]) is not None for o in letters)


PRODUCT = Rule(is_understood, needed, tangent, adjoint)
