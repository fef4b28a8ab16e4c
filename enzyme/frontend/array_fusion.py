"""Statements about arrays that follow each other become one, before anything is differentiated.

Numba makes one loop of an array expression, and an array of its value. Here a value that one statement uses, in the
same block, is computed where it is used: in another expression (also if it has a name), in an operation in place, in
an assignment to a slice, in a sum. What stands between may read memory and may fail, it may not write; where it may
fail, the tests of shapes stay where they were. After ``v[1:] += e`` numba copies the slice onto itself; that goes.

The result is numba's bit for bit, but for products with vectors and matrices, whose terms BLAS adds in an order of its
own, and so are errors and their order. What is not known stays as it was.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, misc"

from __future__ import annotations

import operator
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

from numba.core import ir, types
from numba.core.compiler_machinery import FunctionPass, register_pass

from enzyme.frontend.array_facts import (
    EXTREMES,
    NUMBERS,
    REDUCING_METHODS,
    REDUCTIONS,
    Facts,
    index_of,
    is_plain,
)
from enzyme.frontend.array_functions import elementwise
from enzyme.frontend.array_hoisting import hoisted
from enzyme.frontend.array_literals import literal
from enzyme.frontend.array_matrices import matrix_product
from enzyme.frontend.array_memory import memory_of
from enzyme.frontend.array_products import norm, normed, product, total
from enzyme.frontend.array_reductions import accumulator, extreme, reduction, reduction_along
from enzyme.frontend.array_statements import (
    Expression,
    assignment,
    fitting,
    fused,
    reads_of,
    update,
)
from enzyme.frontend.numba_compat.programs import define

_IN_PLACE = {
    operator.iadd,
    operator.isub,
    operator.imul,
    operator.itruediv,
    operator.ifloordiv,
    operator.imod,
    operator.ipow,
    operator.ilshift,
    operator.irshift,
    operator.iand,
    operator.ior,
    operator.ixor,
}


@register_pass(mutates_CFG=False, analysis_only=False)
class Fusion(FunctionPass):
    """Replace statements about arrays; see the module."""

    _name = "enzyme_fusion"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        if state.func_ir.generator_info is not None:
            return False
        function = Facts(state)
        changed = False
        for block in state.func_ir.blocks.values():
            changed |= _Block(function, block).rewrite()
        return changed


@dataclass(eq=False)
class _Waiting:
    """An array expression that may be computed later, from the statement `number` of a block; others, `names`, only
    gave its value another name."""

    number: int
    tree: Expression
    fails_between: bool = False
    names: list[int] = field(default_factory=list)


class _Block:
    """The statements of a block, one after the other."""

    def __init__(self, function: Facts, block: Any) -> None:
        self.function, self.block = function, block
        self.waiting: dict[str, _Waiting] = {}
        self.body: list[Any] = list(block.body)
        self.changed = False
        self.assigned: dict[str, int] = {}
        self.fitting: list[Any] = []
        self.before: dict[int, list[Any]] = {}

    def rewrite(self) -> bool:
        for number, statement in enumerate(self.block.body):
            if isinstance(statement, ir.Assign):
                self._assign(number, statement)
                self._forget(statement.target.name)
                self.assigned[statement.target.name] = number
                self._may_wait(number, statement)
            else:
                if isinstance(statement, ir.SetItem | ir.StaticSetItem):
                    self._store(number, statement)
                self.waiting.clear()
        for made in self.fitting:  # trees grow when they are taken
            made.reads = made.tree.kept()
        if self.changed:
            self.block.body[:] = [
                one
                for number, now in enumerate(self.body)
                for one in (*self.before.get(number, ()), now)
                if one is not None
            ]
        return self.changed

    # Who uses expressions -----------------------------------------------------------------------

    def _assign(self, number: int, statement: Any) -> None:
        value = statement.value
        if not isinstance(value, ir.Expr):
            return
        if value.op == "arrayexpr":
            self._expression(number, statement)
        elif value.op == "inplace_binop":
            self._in_place(number, statement)
        elif value.op == "call":
            for rewrite in (
                self._literal,
                self._element,
                self._reduction,
                self._norm,
                self._product,
            ):
                if self.body[number] is statement:
                    rewrite(number, statement)
        elif value.op == "binop":
            self._product(number, statement)

    def _expression(self, number: int, statement: Any) -> None:
        value = statement.value
        if self.function.array(statement.target.name) is None or not is_plain(value.expr):
            return
        whole, parts, rows = hoisted(self.function, value, statement.target.scope, statement.loc)
        for part in parts:
            tree = Expression(part.value, part.value.ty, part.loc)
            self._take_into(tree)
            made = ir.Assign(fused(tree, part.loc), part.target, part.loc)
            self.function.calls.setdefault(made.value, None)
            self.before.setdefault(number, []).append(made)
            self.assigned[part.target.name] = number
        tree = Expression(whole, whole.ty, statement.loc, rows=rows, whole=value)
        self._take_into(tree)
        if tree.within or parts or tree.single:
            self._replace(number, statement, fused(tree, value.loc))

    def _literal(self, number: int, statement: Any) -> None:
        value, given = statement.value, self.function.types.get(statement.target.name)
        made, lists = literal(self.function, self.block.body, self.assigned, value, given)
        if made is not None:
            for place in lists:
                self.body[place] = None
            self._replace(number, statement, made)

    def _element(self, number: int, statement: Any) -> None:
        value, result = statement.value, self.function.array(statement.target.name)
        element = None if result is None else elementwise(self.function, value, result)
        if element is None:
            return
        method = element.method
        if method is not None and not self._is_still(element.operands[0].name, method):
            return
        tree = Expression(element, result, statement.loc)
        self._take_into(tree)
        self._replace(number, statement, fused(tree, value.loc))

    def _in_place(self, number: int, statement: Any) -> None:
        function, value = self.function, statement.value
        target = function.array(value.lhs.name)
        same = function.types.get(statement.target.name) == target
        if target is None or not same or value.fn not in _IN_PLACE:
            return
        args = function.calls[value].args
        if tuple(args) != (target, function.types.get(value.rhs.name)):
            return
        if value.lhs.name == value.rhs.name:
            return
        tree = self._source(value.rhs, target.ndim)
        if tree is not None:
            memory = memory_of(function, self.assigned, value.lhs.name, tree.kept())
            self._replace(number, statement, update(value.fn, value.lhs, tree, memory, value.loc))

    def _reduction(self, number: int, statement: Any) -> None:
        function, value = self.function, statement.value
        if value.vararg is not None:
            return
        callee = function.callee(value)
        method, args = function.definition(value.func.name), list(value.args)
        if isinstance(callee, str) and callee in REDUCING_METHODS:
            kind, source = callee, method.value
        elif isinstance(callee, Hashable) and callee in REDUCTIONS and args:
            kind, method, source = REDUCTIONS[callee], None, args.pop(0)
        else:
            return
        ty = function.array(source.name)
        if ty is None or (method is not None and not self._is_still(source.name, method)):
            return
        named = dict(value.kws)
        axis = named.pop("axis", args.pop() if len(args) == 1 else None)
        if args or named:
            return
        loc, given = value.loc, function.types.get(statement.target.name)
        if kind in EXTREMES:
            ordered = isinstance(ty.dtype, types.Integer | types.Float)
            if axis is None and ordered and given == ty.dtype:
                tree = self._source(source, ty.ndim, method, cheap=True)
                self._replace(number, statement, extreme(kind, tree or source, loc))
            return
        if axis is None:
            if given != accumulator(kind, ty.dtype):
                return
            tree = self._source(source, ty.ndim, method)
            self._replace(number, statement, reduction(kind, tree or source, loc))
            return
        along = function.constant(axis.name)
        known = type(along) is int and -ty.ndim <= along < ty.ndim
        if kind != "sum" or not known or ty.ndim < 2:
            return
        made = types.Array(accumulator(kind, ty.dtype), ty.ndim - 1, "C")
        if given == made:
            tree = self._source(source, ty.ndim, method)
            new = reduction_along(tree or source, along % ty.ndim, made, loc)
            self._replace(number, statement, new)

    def _product(self, number: int, statement: Any) -> None:
        value, given = statement.value, self.function.types.get(statement.target.name)
        made, method = matrix_product(self.function, value, given)
        if made is not None and (method is None or self._is_still(method.value.name, method)):
            self._replace(number, statement, made)
            return
        factors = product(self.function, value, given)
        if factors is None:
            return
        if factors.method is not None and not self._is_still(
            factors.operands[0].name, factors.method
        ):
            return
        tree = Expression(factors, types.Array(given, 1, "C"), statement.loc)
        self._take_into(tree)
        self._replace(number, statement, total(tree, value.loc))

    def _norm(self, number: int, statement: Any) -> None:
        value, given = statement.value, self.function.types.get(statement.target.name)
        array = normed(self.function, value, given)
        if array is not None:
            tree = self._source(array, self.function.array(array.name).ndim)
            self._replace(number, statement, norm(tree or array, value.loc))

    def _is_still(self, name: str, method: Any) -> bool:
        """Has a variable the value with which its method was looked up, in this block?"""
        places = [
            number
            for number, one in enumerate(self.block.body)
            if isinstance(one, ir.Assign) and one.value is method
        ]
        return len(places) == 1 and self.assigned.get(name, -1) < places[0]

    def _store(self, number: int, statement: Any) -> None:
        function, target, index = self.function, statement.target, index_of(statement)
        ty = function.array(target.name)
        if ty is None or index is None or not function.is_basic(index):
            return
        if self._is_update_of(statement, index):
            self.body[number] = None
            self.changed = True
            return
        sig = function.calls[statement]
        found = function.typing.resolve_function_type(
            operator.getitem, (ty, function.types[index.name]), {}
        )
        view = None if found is None else found.return_type
        if type(view) is not types.Array or not view.ndim or sig is None:
            return
        value = function.types.get(statement.value.name)
        source: Any = statement.value
        names = (target.name, index.name)
        if function.array(source.name) is not None:
            if value.ndim > view.ndim or sig.args[2] != value:
                return
            if source.name not in names and value.ndim == view.ndim:
                source = self._source(source, view.ndim) or source
        elif not isinstance(value, NUMBERS):
            return
        memory = memory_of(function, self.assigned, target.name, reads_of(source))
        scope, loc = target.scope, statement.loc
        done = scope.redefine("$assigned", loc)
        made = assignment(target, index, source, view, sig, memory, loc)
        function.types[done.name] = types.none
        define(function.ir, done.name, made)
        self.body[number] = ir.Assign(made, done, loc)
        self.changed = True

    def _is_update_of(self, statement: Any, index: Any) -> bool:
        """Does this store what was computed in place where it is stored?"""
        function = self.function
        updated = function.definition(statement.value.name)
        if not isinstance(updated, ir.Expr) or updated.op not in ("inplace_binop", "enzyme_update"):
            return False
        part = function.definition(updated.lhs.name)
        if not isinstance(part, ir.Expr) or part.op not in ("getitem", "static_getitem"):
            return False
        same = part.value.name == statement.target.name and index_of(part) is not None
        if not same or index_of(part).name != index.name:
            return False
        if function.array(updated.lhs.name) is None:
            return False
        kept = function.types[updated.lhs.name] == function.types[statement.value.name]
        places = [
            number
            for number, one in enumerate(self.block.body)
            if isinstance(one, ir.Assign) and one.value is part
        ]
        both = (statement.target.name, index.name)
        return (
            kept
            and len(places) == 1
            and all(self.assigned.get(name, -1) < places[0] for name in both)
        )

    def _replace(self, number: int, statement: Any, made: Any) -> None:
        name = statement.target.name
        self.function.calls.setdefault(made, None)
        new = ir.Assign(made, statement.target, statement.loc)
        self.body[number] = new
        self.changed = True
        definitions = self.function.definitions[name]
        definitions[definitions.index(statement.value)] = made

    # Expressions that wait ----------------------------------------------------------------------

    def _may_wait(self, number: int, statement: Any) -> None:
        """Go on after a statement: keep its value for later, and see what it may do to those that wait."""
        function, name = self.function, statement.target.name
        now = self.body[number].value
        if isinstance(now, ir.Var):
            self._may_wait_as(number, name, now.name)
            return
        is_expr = isinstance(now, ir.Expr)
        if is_expr and now.op in ("enzyme_update", "inplace_binop"):
            writes = not isinstance(function.types.get(name), NUMBERS)
        else:
            writes = not function.only_reads(now)
        if writes:
            self.waiting.clear()
        elif not function.is_silent(now):
            for one in self.waiting.values():
                one.fails_between = True
        if not is_expr:
            return
        if now.op == "arrayexpr" and is_plain(now.expr):
            tree = Expression(now, now.ty, statement.loc)
        elif now.op == "enzyme_fused":
            tree = now.tree
        else:
            return
        if function.array(name) is not None and self._is_read(name):
            self.waiting[name] = _Waiting(number, tree)

    def _may_wait_as(self, number: int, name: str, known_as: str) -> None:
        """A value gets a second name: so it is where a function was inlined."""
        function = self.function
        if known_as not in self.waiting or function.readers[known_as] != 1:
            return
        if self._is_read(name) and function.types.get(name) == function.types.get(known_as):
            one = self.waiting[name] = self.waiting.pop(known_as)
            one.names.append(number)

    def _is_read(self, name: str) -> bool:
        """Does the variable get one value only, and is that used?"""
        return len(self.function.definitions.get(name, ())) == 1 and self.function.readers[name] > 0

    def _forget(self, name: str) -> None:
        """A variable gets another value."""
        for waiting in [
            waiting
            for waiting, one in self.waiting.items()
            if waiting == name or any(var.name == name for var in one.tree.variables())
        ]:
            del self.waiting[waiting]

    def _source(
        self, var: Any, ndim: int, method: Any = None, cheap: bool = False
    ) -> Expression | None:
        """The expression of a variable, if this statement is to compute it; with `cheap`, only if that is cheap."""
        one = self.waiting.get(var.name)
        if one is None or one.tree.ty.ndim != ndim or self.function.readers[var.name] != 1:
            return None
        if cheap and not one.tree.is_cheap():
            return None
        if method is not None:
            if self.function.readers[self._name_of(method)] != 1:
                return None
            self._drop(method)
        tree = self._taken(var)
        self._take_into(tree, cheap)
        return tree

    def _take_into(self, tree: Expression, cheap: bool = False) -> None:
        """Let a tree compute what nobody else reads; with `cheap`, only what is cheap."""
        function = self.function
        while True:
            readers: dict[str, list[Expression]] = {}
            for one in tree.all():
                for name in one.operands():
                    if name not in one.within:
                        readers.setdefault(name, []).append(one)
            for name, those in readers.items():
                waiting = self.waiting.get(name)
                if waiting is None or waiting.tree.ty.ndim != tree.ty.ndim:
                    continue
                if cheap and not waiting.tree.is_cheap():
                    continue
                if function.readers[name] == len(those) and all(
                    self._is_free(one, name) for one in those
                ):
                    break
            else:
                break
            found = self._taken(those[0].operands()[name])
            for one in those:
                one.within[name] = found
                method = one.method_of(name)
                if method is not None:
                    self._drop(method)
        for one in tree.all():
            names = sorted(one.operands().keys() - one.within.keys())
            known = {name: function.single_axes(name) for name in names}
            one.single = {name: axes for name, axes in known.items() if axes}

    def _is_free(self, tree: Expression, name: str) -> bool:
        """Does a tree read a variable itself, or by a method that nobody else calls?"""
        method = tree.method_of(name)
        return method is None or self.function.readers[self._name_of(method)] == 1

    def _taken(self, var: Any) -> Expression:
        """The expression of a variable, which this statement computes."""
        function, one = self.function, self.waiting.pop(var.name)
        statement = self.block.body[one.number]
        left: Any = None
        if one.fails_between and _may_fail(one.tree):
            done = var.scope.redefine("$fits", statement.loc)
            made = fitting(one.tree, statement.loc)
            self.fitting.append(made)
            function.types[done.name] = types.none
            define(function.ir, done.name, made)
            left = ir.Assign(made, done, statement.loc)
        self.body[one.number] = left
        for number in one.names:
            self.body[number] = None
        self.changed = True
        return one.tree

    def _name_of(self, method: Any) -> str:
        (name,) = (
            one.target.name
            for one in self.block.body
            if isinstance(one, ir.Assign) and one.value is method
        )
        return name

    def _drop(self, method: Any) -> None:
        """A method of an array that is not made any more."""
        for number, one in enumerate(self.body):
            if isinstance(one, ir.Assign) and one.value is method:
                self.body[number] = None


def _may_fail(tree: Expression) -> bool:
    return len({var.name for var in tree.variables()}) > 1
