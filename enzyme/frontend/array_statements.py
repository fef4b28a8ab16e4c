"""Statements about arrays that are computed in one go: what `array_fusion` puts in their place, and its code.

``fused`` computes an array, ``update`` is ``a op= expression``, ``assign`` is ``a[...] = expression``, ``reduce`` is a
sum, product or mean; ``fits`` only raises what an expression would raise whose computation moved to a later statement.
In all of them an expression may have expressions in place of variables.

An expression is computed before its target is written. So where an operand may share memory with the target, and is
not the same elements in the same order, it is computed to an array first: a test at run time decides, unless one of
the two was made in this function and cannot be the other.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

import numpy as np
from llvmlite import ir as llvmir
from numba.core import cgutils, ir, types
from numba.core.typing import signature
from numba.np.numpy_support import as_dtype

from enzyme.frontend.array_facts import is_plain
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
    """An array expression of numba's; `within` are the expressions that stand for some of its variables, `single` the
    axes of others that are known to have length one."""

    value: Any
    ty: Any
    loc: Any
    within: dict[str, Expression] = field(default_factory=dict)
    single: dict[str, frozenset[int]] = field(default_factory=dict)

    def variables(self) -> Iterator[Any]:
        """The variables that are read, each as often as it is read."""
        for var in self.value.list_vars():
            if var.name in self.within:
                yield from self.within[var.name].variables()
            else:
                yield var

    def kept(self) -> tuple[Any, ...]:
        """The variables, for statements to name."""
        return tuple({var.name: var for var in self.variables()}.values())


# What stands in numba's programs ----------------------------------------------------------------------


def fused(tree: Expression, loc: Any) -> Any:
    return ir.Expr("enzyme_fused", loc, tree=tree, reads=tree.kept())


def fitting(tree: Expression, loc: Any) -> Any:
    return ir.Expr("enzyme_fits", loc, tree=tree, reads=tree.kept())


def update(function: Any, target: Any, tree: Expression, apart: frozenset[str], loc: Any) -> Any:
    """``function(target, tree)``, an operation in place as `operator.iadd`."""
    return ir.Expr(
        "enzyme_update",
        loc,
        function=function,
        lhs=target,
        tree=tree,
        apart=apart,
        reads=tree.kept(),
    )


def assignment(
    target: Any, index: Any, source: Any, view: Any, signature: Any, apart: frozenset[str], loc: Any
) -> Any:
    """``target[index] = source``, an expression or a variable; `view` is the type of ``target[index]``."""
    reads = source.kept() if isinstance(source, Expression) else (source,)
    return ir.Expr(
        "enzyme_assign",
        loc,
        target=target,
        index=index,
        source=source,
        view=view,
        signature=signature,
        apart=apart,
        reads=reads,
    )


def reduction(kind: str, source: Any, loc: Any) -> Any:
    reads = source.kept() if isinstance(source, Expression) else (source,)
    return ir.Expr("enzyme_reduce", loc, kind=kind, source=source, reads=reads)


# Trees ------------------------------------------------------------------------------------------------


class Planter:
    """Makes trees for the lowering of a function; a variable is one leaf."""

    def __init__(self, lowerer: Any, known: Mapping[str, Leaf] | None = None) -> None:
        self.lowerer = lowerer
        self.leaves: dict[str, Leaf] = dict(known or {})

    def leaf(self, name: str, single: frozenset[int] = frozenset()) -> Leaf:
        if name not in self.leaves:
            context, builder = self.lowerer.context, self.lowerer.builder
            value, ty = self.lowerer.loadvar(name), self.lowerer.typeof(name)
            self.leaves[name] = Leaf(numba_loops.prepared(context, builder, value, ty), single)
        return self.leaves[name]

    def tree(self, expression: Expression) -> Node:
        """The tree of an expression, after the tests that its operands fit."""
        lowerer = self.lowerer
        context, builder = lowerer.context, lowerer.builder
        below = {name: self.tree(one) for name, one in expression.within.items()}

        def read(name: str) -> Any:
            if name in below:
                return _undefined(context, lowerer.typeof(name))
            return lowerer.loadvar(name)

        call = numba_loops.kernel_of(lowerer, expression.value, read)
        names = numba_loops.names_of(expression.value)
        single = expression.single
        inputs: list[Tree] = [
            below.get(name) or self.leaf(name, single.get(name, frozenset())) for name in names
        ]
        (ty,) = call.output_types
        kernel = call.kernel(context, builder, [ty.dtype], [one.dtype for one in inputs])
        node = Node(kernel, inputs, ty.ndim, ty.dtype, ty.layout)
        node.begin = partial(numba_loops.go_to_line, lowerer, expression.loc)
        node.broadcast(context, builder)
        return node

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


def _compute(lowerer: Any, tree: Tree, ty: Any, plainly: bool = False) -> Any:
    """The array of a tree, as an operand that owns it."""
    context, builder = lowerer.context, lowerer.builder
    made = numba_loops.fresh_array(context, builder, ty, tree.shape)

    def body(indices: Any, read: Read, whole: Shape) -> None:
        with_shape(made, whole).store_data(indices, tree.value(read))

    order = order_of(leaf.layout for leaf in {id(x): x for x in tree.leaves()}.values())
    loops = Loops(builder, tree, tree.shape, order, body)
    if plainly:
        loops.emit_plainly()
    else:
        loops.emit()
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

    _without_mixing(lowerer, target, tree, planter.those(expr.apart), write)
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
        value = context.cast(
            builder, source.value(lambda leaf: leaf.operand.load_data(())), given, sig.args[2]
        )
        source = Leaf(numba_loops.prepared(context, builder, value, sig.args[2]))

    def write(source: Tree) -> Loops:
        def cast(value: Any) -> Any:
            numba_loops.go_to_line(lowerer, expr.loc)
            return context.cast(builder, value, source.dtype, view.dtype)

        tree = Node(_Through(cast), [source], view.ndim, view.dtype, view.layout, target.shape)
        return _writing(lowerer, target, tree, order_of((view.layout,)))

    _without_mixing(lowerer, target, source, planter.those(expr.apart), write)
    return context.get_dummy_value()


def _writing(lowerer: Any, target: Leaf, tree: Node, order: str) -> Loops:
    def body(indices: Any, read: Read, whole: Shape) -> None:
        target.operand.store_data(indices, tree.value(read))

    return Loops(lowerer.builder, tree, target.shape, order, body, fresh=False)


# Reductions -------------------------------------------------------------------------------------------


def accumulator(kind: str, dtype: Any) -> Any:
    """The type in which numba adds or multiplies numbers of this type."""
    whole = isinstance(dtype, types.Integer | types.Boolean)
    if kind == "mean":
        return types.float64 if whole else dtype
    return numba_loops.accumulator_type(dtype)


def lower_reduce(lowerer: Any, expr: Any) -> Any:
    context, builder, kind = lowerer.context, lowerer.builder, expr.kind
    tree = Planter(lowerer).source(expr.source)
    ty = accumulator(kind, tree.dtype)
    step = _scalar_operation(context, operator.imul if kind == "prod" else operator.iadd, ty)
    begin = context.get_constant_generic(builder, ty, as_dtype(ty).type(kind == "prod"))
    total = cgutils.alloca_once_value(builder, begin)

    def body(indices: Any, read: Read, whole: Shape) -> None:
        given = tree.value(read)
        numba_loops.go_to_line(lowerer, expr.loc)
        value = context.cast(builder, given, tree.dtype, ty)
        builder.store(step(builder, (builder.load(total), value)), total)

    order = "F" if tree.layout == "F" else "C"
    Loops(builder, tree, tree.shape, order, body).emit()
    if kind != "mean":
        return builder.load(total)
    size: Any = _INTP(1)
    for length in tree.shape:
        size = builder.mul(size, length)
    return _mean_of(context, builder, ty, builder.load(total), size)


def _scalar_operation(context: Any, op: Any, ty: Any) -> Any:
    function = context.typing_context.resolve_value_type(op)
    return context.get_function(
        function, function.get_call_type(context.typing_context, (ty, ty), {})
    )


@cache
def _mean_in(ty: Any) -> Any:
    kind = as_dtype(ty).type
    nothing = kind(complex("nan+nanj")) if isinstance(ty, types.Complex) else kind(np.nan)

    def mean(total: Any, size: int) -> Any:
        if size == 0:
            return nothing
        return kind(total / size)

    return mean


def _mean_of(context: Any, builder: Any, ty: Any, total: Any, size: Any) -> Any:
    sig = signature(ty, ty, types.intp)
    return context.compile_internal(builder, _mean_in(ty), sig, (total, size))


# Memory -----------------------------------------------------------------------------------------------


def _without_mixing(
    lowerer: Any,
    target: Leaf,
    source: Tree,
    apart: Collection[Leaf],
    write: Callable[[Tree], Loops],
) -> None:
    """Write the source to the target, as if it had been computed before; `apart` are leaves in other memory."""
    context, builder = lowerer.context, lowerer.builder
    safe = _TRUE
    for leaf in {id(leaf): leaf for leaf in source.leaves()}.values():
        if leaf.is_array and leaf not in apart:
            safe = builder.and_(safe, keeps_apart(builder, target, leaf))
    loops = write(source)
    if safe is _TRUE:
        loops.emit()
        return
    # In one dimension an array is seldom stretched, so that needs no loop of its own.
    single = target.ndim == 1
    if single:
        safe = builder.and_(safe, loops.are_alike())
    with builder.if_else(safe, likely=True) as (directly, by_a_copy):
        with directly:
            if single:
                loops.emit_alike()
            else:
                loops.emit()
        with by_a_copy:
            copied = types.Array(source.dtype, source.ndim, "F" if source.layout == "F" else "C")
            made = _compute(lowerer, source, copied, plainly=True)
            write(Leaf(made)).emit_plainly()
            context.nrt.decref(builder, copied, made.return_val)


LOWERING = {
    "arrayexpr": lower_alone,
    "enzyme_fused": lower_fused,
    "enzyme_fits": lower_fits,
    "enzyme_update": lower_update,
    "enzyme_assign": lower_assign,
    "enzyme_reduce": lower_reduce,
}
