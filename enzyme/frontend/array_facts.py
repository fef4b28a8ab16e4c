"""What is known of a function whose statements about arrays become fewer: types, definitions, what only reads."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, misc"

from __future__ import annotations

import math
import operator
from collections import Counter
from collections.abc import Hashable, Iterator
from typing import Any

import numpy as np
from numba.core import ir, types

from enzyme.frontend.numba_compat.compilers import tests_bounds

NUMBERS = types.Integer | types.Float | types.Complex | types.Boolean
EXTREMES = {"max", "min"}
REDUCTIONS = {
    np.sum: "sum",
    np.prod: "prod",
    np.mean: "mean",
    np.max: "max",
    np.amax: "max",
    np.min: "min",
    np.amin: "min",
}
REDUCING_METHODS = {"sum", "prod", "mean", *EXTREMES}
# Functions that give arrays with memory of their own.
MAKERS = {
    np.zeros,
    np.empty,
    np.ones,
    np.full,
    np.zeros_like,
    np.empty_like,
    np.ones_like,
    np.full_like,
    np.copy,
}
MAKING_METHODS = {"copy"}
# What reads and computes, and does nothing else; it may fail.
_READERS = {
    *MAKERS,
    *REDUCTIONS,
    np.linalg.norm,
    slice,
    len,
    range,
    abs,
    min,
    max,
    float,
    int,
    bool,
    complex,
    *(f for f in vars(math).values() if callable(f)),
}
_READING_METHODS = {*MAKING_METHODS, *REDUCING_METHODS, "reshape", "ravel"}
VIEWS = {"T", "real", "imag"}
_SILENT = {"build_tuple", "cast", "arrayexpr"}


class Facts:
    """What is known of a function: types, where variables are defined, how many statements read them."""

    def __init__(self, state: Any) -> None:
        self.ir, self.types, self.calls = state.func_ir, state.typemap, state.calltypes
        self.typing, self.tests_bounds = state.typingctx, tests_bounds(state.flags)
        self.definitions: dict[str, list[Any]] = {}
        self.readers: Counter[str] = Counter()
        for block in state.func_ir.blocks.values():
            for statement in block.body:
                if isinstance(statement, ir.Assign):
                    self.definitions.setdefault(statement.target.name, []).append(statement.value)
                self.readers.update({var.name for var in read_by(statement)})

    def add(self, name: str, ty: Any, value: Any) -> None:
        """A new variable, which one statement reads."""
        self.types[name], self.definitions[name], self.readers[name] = ty, [value], 1
        self.calls.setdefault(value, None)

    def definition(self, name: str) -> Any:
        """The only value that a variable gets, with names of it followed; None if there are several."""
        found = self.definitions.get(name, ())
        value = found[0] if len(found) == 1 else None
        return self.definition(value.name) if isinstance(value, ir.Var) else value

    def constant(self, name: str) -> Any:
        """The value of a variable that the program text says; None if it does not."""
        value = self.definition(name)
        return value.value if isinstance(value, ir.Const | ir.Global | ir.FreeVar) else None

    def array(self, name: str) -> Any:
        """The type of a variable that is an array of numbers; else None."""
        ty = self.types.get(name)
        plain = type(ty) is types.Array and isinstance(ty.dtype, NUMBERS) and ty.ndim and ty.aligned
        return ty if plain else None

    def single_axes(self, name: str) -> frozenset[int]:
        """Axes of an array that have length one, as its definition says: ``x[:, None]``."""
        value = self.definition(name)
        if not isinstance(value, ir.Expr) or value.op not in ("getitem", "static_getitem"):
            return frozenset()
        ty, index = self.array(name), index_of(value)
        if ty is None or self.array(value.value.name) is None or index is None:
            return frozenset()
        given = self.types.get(index.name)
        members = given.types if isinstance(given, types.BaseTuple) else (given,)
        kept = [m for m in members if not isinstance(m, types.Integer)]
        if not all(isinstance(m, types.SliceType | types.NoneType) for m in kept):
            return frozenset()
        return frozenset(k for k, m in enumerate(kept) if isinstance(m, types.NoneType))

    def is_basic(self, index: Any) -> bool:
        ty = self.types.get(index.name)
        members = ty.types if isinstance(ty, types.BaseTuple) else (ty,)
        # Numba tests bounds of numbers in an index of an assignment after the shapes.
        known = types.SliceType | types.EllipsisType | types.NoneType
        allowed = known if self.tests_bounds else known | types.Integer
        return all(isinstance(member, allowed) for member in members)

    def callee(self, expr: Any) -> Any:
        """The function that is called, or the name of a method of an array."""
        ty = self.types.get(expr.func.name)
        if isinstance(ty, types.BoundFunction):
            method = self.definition(expr.func.name)
            known = isinstance(method, ir.Expr) and method.op == "getattr"
            return method.attr if known and isinstance(ty.this, types.Array) else None
        if isinstance(ty, types.Function) and not isinstance(ty.typing_key, str):
            return ty.typing_key
        return ty if isinstance(ty, types.NumberClass) else None

    # What statements do -------------------------------------------------------------------------

    def only_reads(self, value: Any) -> bool:
        """Does this write nothing that is there already, and have no other effect?"""
        if not isinstance(value, ir.Expr):
            return True
        if value.op in _SILENT or value.op in (
            "enzyme_fused",
            "enzyme_fits",
            "enzyme_reduce",
            "enzyme_reduce_along",
            "enzyme_extreme",
            "enzyme_literal",
            "enzyme_matrix_product",
            "enzyme_norm",
            "enzyme_total",
        ):
            return True
        if value.op in ("getitem", "static_getitem"):
            return isinstance(self.types.get(value.value.name), types.Array | types.BaseTuple)
        if value.op == "getattr":
            owners = types.Array | types.Module | types.BaseTuple | types.Complex
            return isinstance(self.types.get(value.value.name), owners)
        args = [self.types.get(var.name) for var in value.list_vars()]
        if value.op == "binop" and value.fn is operator.matmul:
            return all(isinstance(ty, types.Array) for ty in args)
        if value.op in ("binop", "unary", "inplace_binop"):
            return all(isinstance(ty, NUMBERS) for ty in args)
        if value.op == "exhaust_iter":
            return isinstance(args[0], types.BaseTuple)
        if value.op == "call":
            callee = self.callee(value)
            if callee == "dot":
                return len(value.args) == 1 and not value.kws
            if isinstance(callee, str):
                return callee in _READING_METHODS
            if callee is np.dot or callee is np.vdot:
                return len(value.args) == 2 and not value.kws
            if isinstance(callee, np.ufunc):
                return len(value.args) == callee.nin and not value.kws
            try:
                return isinstance(callee, types.NumberClass) or callee in _READERS
            except TypeError:
                return False
        return False

    def is_silent(self, value: Any) -> bool:
        """Can this not fail?"""
        if not isinstance(value, ir.Expr):
            return True
        if value.op == "arrayexpr":
            arrays = {var.name for var in value.list_vars() if self.array(var.name)}
            return len(arrays) < 2 and is_plain(value.expr)
        if value.op == "call":
            return self.callee(value) in (slice, len)
        return value.op in ("build_tuple", "getattr", "cast")


def read_by(statement: Any) -> Iterator[Any]:
    """The variables that a statement reads."""
    value = statement.value if isinstance(statement, ir.Assign) else statement
    if isinstance(value, ir.Var):
        yield value
    elif hasattr(value, "list_vars"):
        yield from value.list_vars()


def index_of(statement: Any) -> Any:
    """The variable of an index, in statements of both kinds."""
    known = statement.op if isinstance(statement, ir.Expr) else type(statement).__name__
    static = known in ("static_getitem", "StaticSetItem")
    return statement.index_var if static else statement.index


def is_plain(expression: Any) -> bool:
    """Is this made of numba's own operations, which neither fail nor have effects?"""
    if not isinstance(expression, tuple):
        return True
    function, operands = expression
    known = isinstance(function, np.ufunc) or not hasattr(function, "types")
    return known and all(map(is_plain, operands))


# What is computed twice sooner than kept in memory.
_CHEAP = {
    *(operator.add, operator.sub, operator.mul, operator.neg, operator.pos, operator.invert),
    *(operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne),
    *(operator.and_, operator.or_, operator.xor),
    *(np.add, np.subtract, np.multiply, np.negative, np.positive, np.square, np.absolute),
    *(np.maximum, np.minimum, np.less, np.less_equal, np.greater, np.greater_equal, np.equal),
    *(np.not_equal, np.logical_and, np.logical_or, np.logical_not, np.fabs),
}


def is_cheap(expression: Any) -> bool:
    """Is this made of additions, multiplications, comparisons and the like?"""
    if not isinstance(expression, tuple):
        return True
    function, operands = expression
    return isinstance(function, Hashable) and function in _CHEAP and all(map(is_cheap, operands))
