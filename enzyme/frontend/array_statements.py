"""Statements about arrays that are computed in one go: what `array_fusion` puts in their place, and its code.

``fused`` computes an array, ``update`` is ``a op= expression``, ``assign`` is ``a[...] = expression``; ``fits`` only
raises what an expression would raise whose computation moved to a later statement. `array_reductions` has those that
make numbers of arrays.
In all of them an expression may have expressions in place of variables.

An expression is computed before its target is written. So where an operand may share memory with the target, and is
not the same elements in the same order, it is computed to an array first: a test at run time decides, unless one of
the two was made in this function and cannot be the other.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from llvmlite import ir as llvmir
from numba.core import cgutils, ir, types

from enzyme.frontend.array_facts import is_cheap, is_plain
from enzyme.frontend.array_functions import Element, plain_type
from enzyme.frontend.array_loops import (
    Leaf,
    Loops,
    Node,
    Read,
    Shape,
    Tree,
    fits,
    order_of,
    raise_unless_given_fits,
    with_shape,
)
from enzyme.frontend.array_overlap import keeps_apart
from enzyme.frontend.numba_compat import ufunc_loops as numba_loops

_INTP = llvmir.IntType(64)
_TRUE = llvmir.IntType(1)(1)


@dataclass(eq=False)
class Expression:
    """An array expression of numba's, or an `Element`; `within` are expressions that stand for some of its variables.

    One expression may stand in several others: it is computed once. Where parts of an expression are computed before
    it, `rows` are the variables for them, each with the array that it is made of, and `whole` is the expression with
    the parts. Axes of other variables that are known to have length one are in `single`.
    """

    value: Any
    ty: Any
    loc: Any
    within: dict[str, Expression] = field(default_factory=dict)
    rows: dict[str, str] = field(default_factory=dict)
    whole: Any = None
    single: dict[str, frozenset[int]] = field(default_factory=dict)

    def all(self) -> list[Expression]:
        """The expression itself and those within, each once."""
        found = {id(self): self}
        for one in self.within.values():
            found.update({id(inner): inner for inner in one.all()})
        return list(found.values())

    def numbers(self, names: Sequence[str]) -> list[int]:
        """The places that these operands had in numba's expression, for errors."""
        order = numba_loops.names_of(self.whole or self.value)
        return [order.index(self.rows.get(name, name)) for name in names]

    def is_cheap(self) -> bool:
        """Is this computed twice sooner than kept in memory?"""
        return all(isinstance(one.value, Element) or is_cheap(one.value.expr) for one in self.all())

    def operands(self) -> dict[str, Any]:
        """The variables that this expression itself has."""
        return {var.name: var for var in self.value.list_vars()}

    def method_of(self, name: str) -> Any:
        """The method of a variable that is called here, if one is."""
        element = self.value
        if not isinstance(element, Element) or element.method is None:
            return None
        return element.method if element.operands[0].name == name else None

    def variables(self) -> Iterator[Any]:
        """The variables that are read."""
        for one in self.all():
            for name, var in one.operands().items():
                if name not in one.within:
                    yield var

    def kept(self) -> tuple[Any, ...]:
        """The variables, for statements to name."""
        return tuple({var.name: var for var in self.variables()}.values())


# What stands in numba's programs ----------------------------------------------------------------------


def reads_of(source: Any) -> tuple[Any, ...]:
    """The variables that are read for an expression, or for a variable."""
    return source.kept() if isinstance(source, Expression) else (source,)


def fused(tree: Expression, loc: Any) -> Any:
    return ir.Expr("enzyme_fused", loc, tree=tree, reads=tree.kept())


def fitting(tree: Expression, loc: Any) -> Any:
    return ir.Expr("enzyme_fits", loc, tree=tree, reads=tree.kept())


@dataclass(frozen=True)
class Memory:
    """Whose memory the operands of a statement are in: variables `apart` from the target, and whether some `meet` it,
    as other views of the same array."""

    apart: frozenset[str]
    meet: bool


def update(function: Any, target: Any, tree: Expression, memory: Memory, loc: Any) -> Any:
    """``function(target, tree)``, an operation in place as `operator.iadd`."""
    return ir.Expr(
        "enzyme_update",
        loc,
        function=function,
        lhs=target,
        tree=tree,
        memory=memory,
        reads=tree.kept(),
    )


def assignment(
    target: Any, index: Any, source: Any, view: Any, signature: Any, memory: Memory, loc: Any
) -> Any:
    """``target[index] = source``, an expression or a variable; `view` is the type of ``target[index]``."""
    return ir.Expr(
        "enzyme_assign",
        loc,
        target=target,
        index=index,
        source=source,
        view=view,
        signature=signature,
        memory=memory,
        reads=reads_of(source),
    )


# Trees ------------------------------------------------------------------------------------------------


class Planter:
    """Makes trees for the lowering of a function; a variable is one leaf."""

    def __init__(self, lowerer: Any, known: Mapping[str, Leaf] | None = None) -> None:
        self.lowerer = lowerer
        self.leaves: dict[str, Leaf] = dict(known or {})
        self.nodes: dict[int, Node] = {}

    def leaf(self, name: str, single: frozenset[int] = frozenset()) -> Leaf:
        if name not in self.leaves:
            context, builder = self.lowerer.context, self.lowerer.builder
            value, ty = self.lowerer.loadvar(name), plain_type(self.lowerer.typeof(name))
            self.leaves[name] = Leaf(numba_loops.prepared(context, builder, value, ty), single)
        return self.leaves[name]

    def tree(self, expression: Expression) -> Node:
        """The tree of an expression, after the tests that its operands fit."""
        known = self.nodes.get(id(expression))
        if known is not None:
            return known
        below = {name: self.tree(one) for name, one in expression.within.items()}
        made = self._element if isinstance(expression.value, Element) else self._numbas
        node = self.nodes[id(expression)] = made(expression, below)
        node.begin = partial(numba_loops.go_to_line, self.lowerer, expression.loc)
        return node

    def _numbas(self, expression: Expression, below: Mapping[str, Node]) -> Node:
        """An array expression of numba's."""
        lowerer = self.lowerer
        context, builder = lowerer.context, lowerer.builder

        def read(name: str) -> Any:
            if name in below:
                return _undefined(context, lowerer.typeof(name))
            return lowerer.loadvar(name)

        call = numba_loops.kernel_of(lowerer, expression.value, read)
        names = numba_loops.names_of(expression.value)
        inputs = self._inputs(expression, names, below)
        (ty,) = call.output_types
        kernel = call.kernel(context, builder, [ty.dtype], [one.dtype for one in inputs])
        node = Node(kernel, inputs, ty.ndim, ty.dtype, ty.layout)
        node.broadcast(context, builder, numbers=expression.numbers(names))
        return node

    def _element(self, expression: Expression, below: Mapping[str, Node]) -> Node:
        """A call that computes an array element by element."""
        context, builder = self.lowerer.context, self.lowerer.builder
        element, ty = expression.value, expression.ty
        inputs = self._inputs(expression, [var.name for var in element.operands], below)
        kinds = [one.dtype for one in inputs]

        def generate(*values: Any) -> Any:
            return element.compute(context, builder, kinds, values, ty.dtype)

        node = Node(_Through(generate), inputs, ty.ndim, ty.dtype, ty.layout)
        node.broadcast(context, builder, element.misfit, exact=element.exact)
        return node

    def _inputs(
        self, expression: Expression, names: Sequence[str], below: Mapping[str, Node]
    ) -> list[Tree]:
        """What these operands are: trees, or leaves with the axes that are known to have length one."""
        single = expression.single
        return [below.get(name) or self.leaf(name, single.get(name, frozenset())) for name in names]

    def those(self, names: Collection[str]) -> list[Leaf]:
        """The leaves of these variables."""
        return [leaf for name, leaf in self.leaves.items() if name in names]

    def source(self, given: Any) -> Tree:
        return self.tree(given) if isinstance(given, Expression) else self.leaf(given.name)


def _undefined(context: Any, ty: Any) -> Any:
    return llvmir.Constant(context.get_value_type(ty), llvmir.Undefined)


class _Through:
    """A kernel that is a function of values."""

    def __init__(self, generate: Callable[..., Any]) -> None:
        self.generate = generate


# Code -------------------------------------------------------------------------------------------------


def _compute(lowerer: Any, tree: Tree, ty: Any, emit: Callable[[Loops], None] = Loops.emit) -> Any:
    """The array of a tree, as an operand that owns it."""
    context, builder = lowerer.context, lowerer.builder
    made = numba_loops.fresh_array(context, builder, ty, tree.shape)

    def body(indices: Any, read: Read, whole: Shape) -> None:
        with_shape(made, whole).store_data(indices, read.value(tree))

    order = order_of(leaf.layout for leaf in {id(x): x for x in tree.leaves()}.values())
    emit(Loops(builder, tree, tree.shape, order, body))
    return made


def lower_alone(lowerer: Any, expr: Any) -> Any:
    """An array expression of numba's, which stays where it was."""
    return numba_loops.lower(lowerer, expr, is_plain(expr.expr))


def lower_fused(lowerer: Any, expr: Any) -> Any:
    return _compute(lowerer, Planter(lowerer).tree(expr.tree), expr.tree.ty).return_val


def lower_fits(lowerer: Any, expr: Any) -> Any:
    Planter(lowerer).tree(expr.tree)
    return lowerer.context.get_dummy_value()


def lower_update(lowerer: Any, expr: Any) -> Any:
    context, builder = lowerer.context, lowerer.builder
    name, ty = expr.lhs.name, lowerer.typeof(expr.lhs.name)
    value = lowerer.loadvar(name)
    target = Leaf(numba_loops.prepared(context, builder, value, ty))
    # The target's own elements are read with the index that writes them.
    planter = Planter(lowerer, {name: target})
    tree = planter.tree(expr.tree)
    raise_unless_given_fits(context, builder, fits(builder, tree.shape, target.shape))
    call = numba_loops.kernel_in_place(
        context,
        builder,
        expr.function,
        (ty, expr.tree.ty),
        value,
        _undefined(context, expr.tree.ty),
    )
    kernel = call.kernel(context, builder, [target.dtype], [target.dtype, tree.dtype])
    order = order_of((ty.layout, expr.tree.ty.layout))

    def write(source: Tree) -> Loops:
        whole = Node(kernel, [target, source], ty.ndim, ty.dtype, ty.layout, target.shape)
        whole.begin = partial(numba_loops.go_to_line, lowerer, expr.loc)
        return _writing(lowerer, target, whole, order)

    _without_mixing(
        lowerer, target, tree, planter.those(expr.memory.apart), expr.memory.meet, write
    )
    lowerer.incref(ty, value)
    return value


def lower_assign(lowerer: Any, expr: Any) -> Any:
    context, builder = lowerer.context, lowerer.builder
    ty, sig, view = lowerer.typeof(expr.target.name), expr.signature, expr.view
    planter = Planter(lowerer)
    source, whole = planter.source(expr.source), isinstance(expr.source, Expression)
    given = expr.source.ty if whole else lowerer.typeof(expr.source.name)
    index = lowerer.context.cast(
        builder, lowerer.loadvar(expr.index.name), lowerer.typeof(expr.index.name), sig.args[1]
    )
    array = lowerer.loadvar(expr.target.name)
    target = Leaf(numba_loops.view(context, builder, ty, array, sig.args[1], index, view))
    if source.ndim:
        own = source.shape
        with cgutils.if_unlikely(builder, builder.not_(fits(builder, own, target.shape))):
            numba_loops.raise_unassignable(context, builder, own, target.shape)
    elif not isinstance(given, types.Array):
        number = Read(lambda leaf: leaf.operand.load_data(())).value(source)
        value = context.cast(builder, number, given, sig.args[2])
        source = Leaf(numba_loops.prepared(context, builder, value, sig.args[2]))

    def write(source: Tree) -> Loops:
        def cast(value: Any) -> Any:
            numba_loops.go_to_line(lowerer, expr.loc)
            return context.cast(builder, value, source.dtype, view.dtype)

        tree = Node(_Through(cast), [source], view.ndim, view.dtype, view.layout, target.shape)
        return _writing(lowerer, target, tree, order_of((view.layout,)))

    _without_mixing(
        lowerer, target, source, planter.those(expr.memory.apart), expr.memory.meet, write
    )
    return context.get_dummy_value()


def _writing(lowerer: Any, target: Leaf, tree: Node, order: str) -> Loops:
    def body(indices: Any, read: Read, whole: Shape) -> None:
        target.operand.store_data(indices, read.value(tree))

    return Loops(lowerer.builder, tree, target.shape, order, body, fresh=False)


# Memory -----------------------------------------------------------------------------------------------


def _without_mixing(
    lowerer: Any,
    target: Leaf,
    source: Tree,
    apart: Collection[Leaf],
    meet: bool,
    write: Callable[[Tree], Loops],
) -> None:
    """Write the source to the target, as if it had been computed before.

    Leaves that are `apart` are in other memory; that some `meet` it says that a copy is to be expected.
    """
    builder = lowerer.builder
    safe = _TRUE
    for leaf in {id(leaf): leaf for leaf in source.leaves()}.values():
        if leaf.is_array and leaf not in apart:
            safe = builder.and_(safe, keeps_apart(builder, target, leaf))
    loops = write(source)
    if safe is _TRUE:
        loops.emit()
        return
    by_a_copy = partial(_write_by_a_copy, lowerer, source, write)
    if meet:
        with builder.if_else(loops.are_alike(), likely=True) as (alike, stretched):
            with alike, builder.if_else(safe) as (directly, otherwise):
                with directly:
                    loops.emit_alike()
                with otherwise:
                    by_a_copy(Loops.emit_alike)
            with stretched:
                by_a_copy(Loops.emit_plainly)
        return
    # In one dimension an array is seldom stretched, so that needs no loop of its own.
    single = target.ndim == 1
    if single:
        safe = builder.and_(safe, loops.are_alike())
    with builder.if_else(safe, likely=True) as (directly, otherwise):
        with directly:
            if single:
                loops.emit_alike()
            else:
                loops.emit()
        with otherwise:
            by_a_copy(Loops.emit_plainly)


def _write_by_a_copy(
    lowerer: Any, source: Tree, write: Callable[[Tree], Loops], emit: Callable[[Loops], None]
) -> None:
    copied = types.Array(source.dtype, source.ndim, "F" if source.layout == "F" else "C")
    made = _compute(lowerer, source, copied, emit)
    emit(write(Leaf(made)))
    lowerer.context.nrt.decref(lowerer.builder, copied, made.return_val)


LOWERING = {
    "arrayexpr": lower_alone,
    "enzyme_fused": lower_fused,
    "enzyme_fits": lower_fits,
    "enzyme_update": lower_update,
    "enzyme_assign": lower_assign,
}
