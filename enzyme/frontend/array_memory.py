"""Whose memory arrays are in, as far as the program text says."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, misc"

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from numba.core import ir

from enzyme.frontend.array_facts import MAKERS, MAKING_METHODS, VIEWS, Facts
from enzyme.frontend.array_statements import Memory

# Expressions that make an array of their own.
_NEW = {
    "arrayexpr",
    "enzyme_fused",
    "enzyme_reduce_along",
    "enzyme_matrix_product",
    "enzyme_literal",
}


def memory_of(
    function: Facts, assigned: Mapping[str, int], target: str, reads: Iterable[Any]
) -> Memory:
    """Which of the variables read cannot be in the memory of the target, and whether others are views of it.

    `assigned` are the places where variables got their values in the block of which this is asked.
    """
    mine = _root(function, target)
    apart, meet = set(), False
    for var in reads:
        if function.array(var.name) is None or var.name == target:
            continue
        theirs = _root(function, var.name)
        if mine == theirs:
            meet = True
        elif _is_newer(function, assigned, mine, theirs) or _is_newer(
            function, assigned, theirs, mine
        ):
            apart.add(var.name)
    return Memory(frozenset(apart), meet)


def _root(function: Facts, name: str) -> str:
    """The variable whose array this one is, or is a view of."""
    found = function.definitions.get(name, ())
    if len(found) != 1:
        return name
    (value,) = found
    if isinstance(value, ir.Var):
        return _root(function, value.name)
    if isinstance(value, ir.Expr) and function.array(name) is not None:
        if value.op in ("getitem", "static_getitem") or (
            value.op == "getattr" and value.attr in VIEWS
        ):
            if function.array(value.value.name) is not None:
                return _root(function, value.value.name)
        if value.op in ("inplace_binop", "enzyme_update"):
            return _root(function, value.lhs.name)
    return name


def _is_newer(function: Facts, assigned: Mapping[str, int], one: str, other: str) -> bool:
    """Was the array `one` made in this block, when `other` was there already?"""
    found = function.definitions.get(one, ())
    if len(found) != 1 or one not in assigned or not isinstance(found[0], ir.Expr):
        return False
    (value,) = found
    new = value.op in _NEW
    if value.op == "call":
        callee = function.callee(value)
        new = callee in (MAKING_METHODS if isinstance(callee, str) else MAKERS)
    return new and assigned.get(other, -1) < assigned[one]
