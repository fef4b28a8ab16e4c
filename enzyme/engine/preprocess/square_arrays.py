"""A program that takes a matrix for square is made for square ones, too.

`n = len(a)`, and rows and columns are counted to `n`: that a column is less than ``a.shape[1]`` nobody says. But what
is known of the elements of a matrix that is worked on in place hangs on it. Only if columns are less than the length
of a row are ``m[i, k]`` and ``m[j, j]`` different elements, and a number that was read is final; otherwise a
factorisation keeps a number for every step of its innermost loop (`analysis.later_writes`). So the function gets a
second body, in which the length of a row is what columns are counted to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TypeGuard

from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.instructions import Cmp, Gep, Instruction, Load, Phi, Store
from enzyme.engine.ir.module import Function, Module
from enzyme.engine.ir.types import I1, I64
from enzyme.engine.ir.values import Argument, ConstInt, Value
from enzyme.engine.preprocess.second_body import add_body

_LONGEST = 1500  # instructions of a function
_DEEPEST = 5  # loops whose counters bound one another
_PRODUCT = re.compile(r" = mul (?:nuw |nsw )*i64 %[^,\n]+, %arg")


def may_be_for_squares(text: str) -> bool:
    """Does a module, given as text, multiply with parameters?"""
    return _PRODUCT.search(text) is not None


def make_for_squares(module: Module) -> int:
    """Give functions of the module a second body where matrices are likely to be square; returns how many."""
    return sum(_try_make(f) for f in list(module.functions.values()) if f.blocks)


def _try_make(function: Function) -> bool:
    if sum(len(b.instructions) for b in function.blocks) > _LONGEST:
        return False
    likely: dict[Argument, Argument] = {}
    for argument in function.args:
        if argument.type is I64:
            found = _length_of_columns(argument)
            if found is not None and found not in likely:
                likely[argument] = found
    if not likely:
        return False

    def suppose(b: Builder) -> tuple[Value, Mapping[Value, Value]]:
        condition: Value = ConstInt(I1, 1)
        for length, other in likely.items():
            condition = b.and_(condition, b.icmp("eq", length, other))
        return condition, {length: other for length, other in likely.items()}

    add_body(function, "square", suppose)
    return True


def _length_of_columns(row: Argument) -> Argument | None:
    """The parameter to which columns are counted in a matrix whose rows have the length `row`, and that is read and
    written; None if rows have that length for all that is seen, or if nothing is gained."""
    found: Argument | None = None
    read: set[Value] = set()
    written: set[Value] = set()
    for product in row.users:
        if not isinstance(product, Instruction) or product.opcode != "mul":
            continue
        for pointer, matrix, column in _elements(product):
            bound = _bound(column, _DEEPEST)
            if bound is None or bound is row:
                continue
            if found is not None and bound is not found:
                return None
            found = bound
            for user in pointer.users:
                if isinstance(user, Load):
                    read.add(matrix)
                elif isinstance(user, Store) and user.pointer is pointer:
                    written.add(matrix)
    return None if read.isdisjoint(written) else found


def _elements(product: Instruction) -> Iterator[tuple[Instruction, Value, Value]]:
    """Addresses of single elements in rows that begin at a product, each with where its matrix begins, and its
    column."""
    for place in product.users:
        if not _is_step(place) or place.operands[1] is not product:
            continue
        before = place.operands[0]
        if _is_step(before):
            yield place, before.operands[0], before.operands[1]
        for inner in place.users:
            if _is_step(inner) and inner.operands[0] is place:
                yield inner, before, inner.operands[1]


def _is_step(value: Value) -> TypeGuard[Gep]:
    return isinstance(value, Gep) and len(value.operands) == 2


def _bound(counter: Value, depth: int) -> Argument | None:
    """The parameter that a counter is compared with, or that bounds the counter that it is compared with."""
    if not depth or not isinstance(counter, Phi):
        return None
    steps = [counter, *(v for v in counter.operands if isinstance(v, Instruction))]
    for step in steps:
        for user in step.users:
            if not isinstance(user, Cmp):
                continue
            other = user.operands[1 if user.operands[0] is step else 0]
            if isinstance(other, Argument):
                return other
            found = _bound(_without_constant(other), depth - 1)
            if found is not None:
                return found
    return None


def _without_constant(value: Value) -> Value:
    if isinstance(value, Instruction) and value.opcode in ("add", "sub"):
        one, other = value.operands
        return one if isinstance(other, ConstInt) else value
    return value
