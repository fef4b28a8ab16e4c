"""Statements about arrays that follow each other become one, before anything is differentiated.

Numba makes one loop of an array expression, and an array of its value. Here a value that one statement uses, in the
same block, is computed where it is used: in another expression (also if it has a name), in an operation in place, in
an assignment to a slice, in a sum. What stands between may read memory and may fail, it may not write; where it may
fail, the tests of shapes stay where they were. After ``v[1:] += e`` numba copies the slice onto itself; that goes.

The result is numba's bit for bit, and so are errors and their order. What is not known stays as it was.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, misc"

from __future__ import annotations

import operator
from dataclasses import dataclass, field
from typing import Any

from numba.core import ir, types
from numba.core.compiler_machinery import FunctionPass, register_pass

from enzyme.frontend.array_facts import (
    MAKERS,
    MAKING_METHODS,
    NUMBERS,
    REDUCING_METHODS,
    REDUCTIONS,
    VIEWS,
    Facts,
    index_of,
    is_plain,
)
from enzyme.frontend.array_statements import (
    Expression,
    accumulator,
    assignment,
    fitting,
    fused,
    reduction,
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
        self.made: dict[str, int] = {}
        self.assigned: dict[str, int] = {}

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
        if self.changed:
            self.block.body[:] = [one for one in self.body if one is not None]
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
            self._reduction(number, statement)

    def _expression(self, number: int, statement: Any) -> None:
        name, value = statement.target.name, statement.value
        if self.function.array(name) is None or not is_plain(value.expr):
            return
        ndim = self.function.array(name).ndim
        within = {}
        for var in value.list_vars():
            tree = self._taken(var, ndim)
            if tree is not None:
                within[var.name] = tree
        tree = self._tree(statement, within)
        if within or tree.single:
            self._replace(number, statement, fused(tree, value.loc))

    def _tree(self, statement: Any, within: dict[str, Expression]) -> Expression:
        value = statement.value
        names = {var.name for var in value.list_vars()} - within.keys()
        known = {name: self.function.single_axes(name) for name in sorted(names)}
        single = {name: axes for name, axes in known.items() if axes}
        return Expression(value, value.ty, statement.loc, within, single)

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
        tree = self._taken(value.rhs, target.ndim)
        if tree is not None:
            apart = self._apart(value.lhs.name, tree.kept())
            self._replace(number, statement, update(value.fn, value.lhs, tree, apart, value.loc))

    def _reduction(self, number: int, statement: Any) -> None:
        function, value = self.function, statement.value
        if value.kws or value.vararg is not None:
            return
        callee = function.callee(value)
        method = self.function.definition(value.func.name)
        if isinstance(callee, str) and callee in REDUCING_METHODS and not value.args:
            kind, source = callee, method.value
        elif callee in REDUCTIONS and len(value.args) == 1:
            kind, method = REDUCTIONS[callee], None
            (source,) = value.args
        else:
            return
        ty = function.array(source.name)
        if ty is None or function.types.get(statement.target.name) != accumulator(kind, ty.dtype):
            return
        if method is not None and not self._is_still(source.name, method):
            return
        tree = self._taken(source, ty.ndim, method)
        self._replace(number, statement, reduction(kind, tree or source, value.loc))

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
                source = self._taken(source, view.ndim) or source
        elif not isinstance(value, NUMBERS):
            return
        reads = source.kept() if isinstance(source, Expression) else (source,)
        apart = self._apart(target.name, reads)
        scope, loc = target.scope, statement.loc
        done = scope.redefine("$assigned", loc)
        made = assignment(target, index, source, view, sig, apart, loc)
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
            tree = self._tree(statement, {})
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

    def _taken(self, var: Any, ndim: int, method: Any = None) -> Expression | None:
        """The expression of a variable, if this statement is to compute it."""
        function, one = self.function, self.waiting.get(var.name)
        if one is None or one.tree.ty.ndim != ndim or function.readers[var.name] != 1:
            return None
        if method is not None:
            if function.readers[self._name_of(method)] != 1:
                return None
            self._drop(method)
        statement = self.block.body[one.number]
        left: Any = None
        if one.fails_between and _may_fail(one.tree):
            done = var.scope.redefine("$fits", statement.loc)
            made = fitting(one.tree, statement.loc)
            function.types[done.name] = types.none
            define(function.ir, done.name, made)
            left = ir.Assign(made, done, statement.loc)
        self.body[one.number] = left
        for number in one.names:
            self.body[number] = None
        del self.waiting[var.name]
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

    # Whose memory -------------------------------------------------------------------------------

    def _apart(self, target: str, reads: Any) -> frozenset[str]:
        """The variables read that cannot be in the memory of the target."""
        mine = self._root(target)
        found = set()
        for var in reads:
            if self.function.array(var.name) is None:
                continue
            theirs = self._root(var.name)
            if mine != theirs and (self._is_new(mine, theirs) or self._is_new(theirs, mine)):
                found.add(var.name)
        return frozenset(found)

    def _root(self, name: str) -> str:
        """The variable whose array this one is, or is a view of."""
        found = self.function.definitions.get(name, ())
        if len(found) != 1:
            return name
        (value,) = found
        if isinstance(value, ir.Var):
            return self._root(value.name)
        if isinstance(value, ir.Expr) and self.function.array(name) is not None:
            if value.op in ("getitem", "static_getitem") or (
                value.op == "getattr" and value.attr in VIEWS
            ):
                if self.function.array(value.value.name) is not None:
                    return self._root(value.value.name)
            if value.op in ("inplace_binop", "enzyme_update"):
                return self._root(value.lhs.name)
        return name

    def _is_new(self, one: str, other: str) -> bool:
        """Was the array `one` made in this block, when `other` was there already?"""
        found = self.function.definitions.get(one, ())
        if len(found) != 1 or one not in self.assigned or not isinstance(found[0], ir.Expr):
            return False
        (value,) = found
        new = value.op in ("arrayexpr", "enzyme_fused")
        if value.op == "call":
            callee = self.function.callee(value)
            new = callee in (MAKING_METHODS if isinstance(callee, str) else MAKERS)
        return new and self.assigned.get(other, -1) < self.assigned[one]


def _may_fail(tree: Expression) -> bool:
    return len({var.name for var in tree.variables()}) > 1
