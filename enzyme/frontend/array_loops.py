"""Loops over the elements of arrays, in the form from which fast derivatives come.

Numba walks every operand of an array expression with an index of its own, which stands still along axes of length
one: whether it does is asked for each element, and what follows from it is no longer a loop over neighbours. Here the
shapes are compared before the loops. Where all are those of the result, all operands are walked with one index; an
axis of which the program says that it has length one, ``x[:, None]``, stands still there. Other nests are for operands
that are stretched unsaid; along the innermost axis it is said of each of up to three of them whether it stands still.

Values, order of the elements and errors are numba's. An output given by the user must have the shape to which the
inputs are stretched; numba does not look, and reads beyond their ends.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types

from enzyme.frontend.numba_compat import ufunc_loops as numba_loops

_INTP = ir.IntType(64)
_ZERO, _ONE = _INTP(0), _INTP(1)
_TRUE = ir.IntType(1)(1)
_FALSE = ir.IntType(1)(0)
_GIVEN = "non-broadcastable output operand: the inputs cannot be stretched to its shape"

# Of so many operands nests of their own say which of them stand still along the innermost axis. Often lengths are
# known (`a[:, None]`), and all but one or two nests fall away before anything is differentiated.
_MOST_TOLD_APART = 3

Shape = Sequence[Any]


class Read:
    """What reads operands at one element; what was computed there from them is `known`."""

    def __init__(self, load: Callable[[Leaf], Any]) -> None:
        self.load = load
        self.known: dict[int, Any] = {}

    def value(self, tree: Tree) -> Any:
        """The value of a tree at the element, computed once."""
        if id(tree) not in self.known:
            self.known[id(tree)] = tree.value(self)
        return self.known[id(tree)]


@dataclass(eq=False)
class Leaf:
    """An operand of an expression: an array, or a number. The axes `single` are known to have length one."""

    operand: Any
    single: frozenset[int] = frozenset()

    @property
    def is_array(self) -> bool:
        return numba_loops.is_array(self.operand)

    @property
    def ndim(self) -> int:
        return self.operand.ndim if self.is_array else 0

    @property
    def shape(self) -> Shape:
        return self.operand.shape if self.is_array else ()

    @property
    def layout(self) -> str:
        return self.operand.layout if self.is_array else ""

    @property
    def dtype(self) -> Any:
        return self.operand.base_type

    def leaves(self) -> Iterator[Leaf]:
        yield self

    def value(self, read: Read) -> Any:
        return read.load(self)


@dataclass(eq=False)
class Node:
    """What is computed from operands, element by element; `begin` is done before that is emitted."""

    kernel: Any
    inputs: Sequence[Leaf | Node]
    ndim: int
    dtype: Any
    layout: str
    shape: Shape = ()
    begin: Callable[[], None] | None = None

    def leaves(self) -> Iterator[Leaf]:
        for one in self.inputs:
            yield from one.leaves()

    def value(self, read: Read) -> Any:
        values = [read.value(one) for one in self.inputs]
        if self.begin is not None:
            self.begin()
        return self.kernel.generate(*values)

    def broadcast(
        self,
        context: Any,
        builder: Any,
        message: str = "",
        numbers: Sequence[int] = (),
        exact: bool = False,
    ) -> None:
        """Find the shape to which the inputs are stretched; an error where they do not fit."""
        self.shape = broadcast(context, builder, self.ndim, self.inputs, message, numbers, exact)


Tree = Leaf | Node


def broadcast(
    context: Any,
    builder: Any,
    ndim: int,
    inputs: Sequence[Tree],
    message: str = "",
    numbers: Sequence[int] = (),
    exact: bool = False,
) -> Shape:
    """The shape to which inputs are stretched; numba's error for array expressions where they do not fit, or one with
    the `message`. Inputs have these `numbers` in it, and are looked at in their order. Where all must have one shape,
    `exact`, none is stretched."""
    given = {id(one): one for one in inputs if one.ndim}
    if len(given) == 1:
        (only,) = given.values()
        if only.ndim == ndim:
            return only.shape
    shape: list[Any] = [_ONE] * ndim
    numbered = sorted(zip(numbers or range(len(inputs)), inputs, strict=True), key=lambda x: x[0])
    for number, one in numbered:
        misfit = ir.IntType(1)(0)
        offset = ndim - one.ndim
        for axis, own in enumerate(one.shape):
            before = shape[offset + axis]
            if before is _ONE:
                shape[offset + axis] = own
                continue
            differs = builder.icmp_signed("!=", own, before)
            if exact:
                misfit = builder.or_(misfit, differs)
                continue
            free = builder.icmp_signed("==", before, _ONE)
            wide = builder.icmp_signed("!=", own, _ONE)
            wrong = builder.and_(builder.and_(differs, wide), builder.not_(free))
            misfit = builder.or_(misfit, wrong)
            shape[offset + axis] = builder.select(free, own, before)
        if not isinstance(misfit, ir.Constant):
            with cgutils.if_unlikely(builder, misfit):
                if message:
                    context.call_conv.return_user_exc(builder, ValueError, (message,))
                else:
                    numba_loops.raise_misfit(context, builder, number)
    return shape


def fits(builder: Any, own: Shape, whole: Shape) -> Any:
    """Can something of this shape be stretched to that one?"""
    if len(own) > len(whole):
        return _FALSE
    answer = _TRUE
    for mine, length in zip(own, whole[len(whole) - len(own) :], strict=True):
        if mine is not length:
            equal = builder.icmp_signed("==", mine, length)
            single = builder.icmp_signed("==", mine, _ONE)
            answer = builder.and_(answer, builder.or_(equal, single))
    return answer


# Loops --------------------------------------------------------------------------------------------


class Loops:
    """The nests over all elements of a shape, which `body` computes.

    `body` is given the indices of an element, what reads a leaf there, and the shape as it is known in this nest.
    A result that is not `fresh` has its shape before anything is stretched.
    """

    def __init__(
        self,
        builder: Any,
        tree: Tree,
        shape: Shape,
        order: str,
        body: Callable[..., None],
        fresh: bool = True,
        around: Callable[[Sequence[Any], Shape], Any] | None = None,
    ) -> None:
        self.builder, self.shape, self.order, self.body = builder, shape, order, body
        self.fresh, self.around = fresh, around
        leaves = {id(leaf): leaf for leaf in tree.leaves()}
        self.bounded = [leaf for leaf in leaves.values() if leaf.ndim]
        self.single = any(leaf.single for leaf in self.bounded)
        self.like = shape
        if fresh and self.single:
            self.like = [self._length(axis) for axis in range(len(shape))]
        elif fresh:
            self.like = next((x.shape for x in self.bounded if x.ndim == len(shape)), shape)
        self.others = [leaf for leaf in self.bounded if leaf.shape is not self.like]

    def _length(self, axis: int) -> Any:
        """The length of an axis as the first operand says it whose axis may be longer than one."""
        for leaf in self.bounded:
            own = axis - len(self.shape) + leaf.ndim
            if own >= 0 and own not in leaf.single:
                return leaf.shape[own]
        return _ONE

    def emit(self) -> None:
        """All nests."""
        if not self.others:
            self.emit_alike()
            return
        with self.builder.if_else(self.are_alike()) as (same, stretched):
            with same:
                self.emit_alike()
            with stretched:
                self._stretched()

    def at(self, indices: Sequence[Any]) -> Read:
        """What reads operands at one element, outside of the loops."""
        return Read(self._loading(indices, self._factors(self.shape)))

    def are_alike(self) -> Any:
        """Have all leaves one shape, as far as they have axes, and not of length one for known?"""
        alike = _TRUE
        for leaf in self.others:
            aligned = zip(leaf.shape, self.like[len(self.like) - leaf.ndim :], strict=True)
            for axis, (own, length) in enumerate(aligned):
                if axis not in leaf.single and own is not length:
                    alike = self.builder.and_(alike, self.builder.icmp_signed("==", own, length))
        return alike

    def emit_alike(self) -> None:
        """The nest for leaves of one shape."""
        self._nest(self.like, self.like)

    def emit_plainly(self) -> None:
        """One nest for everything."""
        self._nest(self.shape, None)

    def _stretched(self) -> None:
        """Nests that know which operands stand still along the innermost axis, and one that asks for each element.

        What has fewer axes than the result has its whole length there, or goes through the latter.
        """
        ndim = len(self.shape)
        inner = ndim - 1 if self.order == "C" else 0
        reaching = [leaf for leaf in self.bounded if leaf.ndim >= ndim - inner]
        reaching = [leaf for leaf in reaching if leaf.ndim - ndim + inner not in leaf.single]
        if ndim < 2 or not reaching:
            return self.emit_plainly()
        whole = None if self.fresh else self.like  # what has the shape of the result moves
        unsure = [leaf for leaf in reaching if leaf.shape is not whole]
        told = [leaf for leaf in unsure if leaf.ndim == ndim]
        if len(told) > _MOST_TOLD_APART:
            told = []
        stands = {id(leaf): self._stands(leaf, inner) for leaf in told}
        moving = {id(leaf): False for leaf in reaching if id(leaf) not in stands}
        asked = [leaf for leaf in unsure if id(leaf) in moving]
        cases = [dict(zip(stands, case)) for case in product((False, True), repeat=len(told))]
        if self.fresh and not moving:
            cases.pop()  # where all stand still there is one element, for which every nest is right
        if not asked:
            return self._choose(cases, stands, inner, moving)
        all_move = _TRUE
        for leaf in asked:
            all_move = self.builder.and_(all_move, self.builder.not_(self._stands(leaf, inner)))
        with self.builder.if_else(all_move) as (known, unknown):
            with known:
                self._choose(cases, stands, inner, moving)
            with unknown:
                self.emit_plainly()
        return None

    def _stands(self, leaf: Leaf, inner: int) -> Any:
        length = leaf.shape[leaf.ndim - len(self.shape) + inner]
        return self.builder.icmp_signed("==", length, _ONE)

    def _choose(
        self,
        cases: Sequence[dict[int, bool]],
        stands: dict[int, Any],
        inner: int,
        moving: dict[int, bool],
    ) -> None:
        case, *rest = cases
        if not rest:
            return self._nest(self.shape, None, inner, moving | case)
        test = _TRUE
        for leaf, still in case.items():
            holds = stands[leaf] if still else self.builder.not_(stands[leaf])
            test = self.builder.and_(test, holds)
        with self.builder.if_else(test) as (this, others):
            with this:
                self._nest(self.shape, None, inner, moving | case)
            with others:
                self._choose(rest, stands, inner, moving)
        return None

    def _nest(
        self,
        shape: Shape,
        like: Shape | None,
        inner: int = -1,
        still: dict[int, bool] | None = None,
    ) -> None:
        """One nest. Operands have the shape `like`, or are stretched; of some it is known along the axis `inner`."""
        operands: dict[int, Any] = {}
        factors: dict[int, list[Any]] = {}
        if like is None:
            factors = self._factors(shape, inner, still or {})
        else:
            for leaf in self.bounded:
                lengths = enumerate(like[len(shape) - leaf.ndim :])
                known = [_ONE if axis in leaf.single else length for axis, length in lengths]
                operands[id(leaf)] = with_shape(leaf.operand, known)
                factors[id(leaf)] = [
                    _ZERO if axis in leaf.single else None for axis in range(leaf.ndim)
                ]
        with self._walk(shape) as indices:
            self.body(indices, Read(self._loading(indices, factors, operands)), shape)

    def _factors(
        self, shape: Shape, inner: int = -1, still: Mapping[int, bool] | None = None
    ) -> dict[int, list[Any]]:
        """For each axis of each leaf, what its index is multiplied with: zero where it is stretched."""
        builder, known = self.builder, still or {}
        found = {}
        for leaf in self.bounded:
            offset = len(shape) - leaf.ndim
            found[id(leaf)] = [
                _ZERO
                if axis in leaf.single
                else (_ZERO if known[id(leaf)] else _ONE)
                if id(leaf) in known and offset + axis == inner
                else None
                if own is shape[offset + axis]
                else builder.zext(builder.icmp_signed("!=", own, _ONE), _INTP)
                for axis, own in enumerate(leaf.shape)
            ]
        return found

    def _loading(
        self,
        indices: Sequence[Any],
        factors: Mapping[int, list[Any]],
        operands: Mapping[int, Any] | None = None,
    ) -> Callable[[Leaf], Any]:
        builder, known = self.builder, operands or {}

        def load(leaf: Leaf) -> Any:
            if not leaf.ndim:
                return leaf.operand.load_data(())
            place = list(indices[len(indices) - leaf.ndim :])
            for axis, factor in enumerate(factors.get(id(leaf), ())):
                if factor is _ZERO:
                    place[axis] = _ZERO
                elif factor is not None and factor is not _ONE:
                    place[axis] = builder.mul(place[axis], factor)
            return known.get(id(leaf), leaf.operand).load_data(place)

        return load

    @contextmanager
    def _walk(self, shape: Shape) -> Iterator[Sequence[Any]]:
        """The loops themselves."""
        builder, order = self.builder, self.order
        if self.around is None:
            with cgutils.loop_nest(builder, shape, intp=_INTP, order=order) as indices:
                yield indices
            return
        *others, length = shape if order == "C" else shape[::-1]
        others = others if order == "C" else others[::-1]
        with (
            cgutils.loop_nest(builder, others, intp=_INTP, order=order) as outer,
            self.around(outer, shape),
            cgutils.for_range(builder, length, intp=_INTP) as loop,
        ):
            yield (*outer, loop.index) if order == "C" else (loop.index, *outer)


def with_shape(operand: Any, shape: Shape) -> Any:
    """An operand whose lengths are known by other names, so that all of one layout have one index."""
    return operand._replace(shape=list(shape))


def order_of(layouts: Iterable[str]) -> str:
    """The order in which numba walks operands of these layouts."""
    known = list(layouts)
    return "F" if known.count("F") > known.count("C") else "C"


# Ufuncs and array expressions that make arrays --------------------------------------------------------


def emit(
    context: Any, builder: Any, sig: Any, args: Sequence[Any], ufunc: Any, kernel_class: Any
) -> Any:
    """The value of a ufunc, or of an array expression, for these arguments."""
    call = numba_loops.Call(sig, args, ufunc, kernel_class)
    if numba_loops.is_caught(builder, call):
        return args[0]
    operands = call.prepared(context, builder)
    inputs, outputs = operands[: ufunc.nin], operands[ufunc.nin :]
    given = len(outputs)
    if given:  # what is read and written at once has one shape
        same = [arg is args[ufunc.nin] for arg in args]
        inputs = [with_shape(x, outputs[0].shape) if s else x for x, s in zip(inputs, same)]
    leaves = [Leaf(one) for one in inputs]
    ndim = max(
        (ty.ndim for ty in call.output_types if isinstance(ty, types.ArrayCompatible)), default=0
    )
    shape: Shape = ()
    if not given:
        shape = broadcast(context, builder, ndim, leaves)
    elif ndim:
        shape = outputs[0].shape
    for number, ty in enumerate(call.output_types):
        if number < given:
            call.keep(context, builder, number)
        elif isinstance(ty, types.ArrayCompatible):
            outputs.append(numba_loops.wrapped_array(context, builder, ty, shape, call, inputs))
        else:
            outputs.append(numba_loops.nothing(context, builder, ty))
    if given:
        _demand_fit(context, builder, leaves, shape)
        if any(leaf.ndim > ndim for leaf in leaves):
            return call.returned(context, builder, outputs)
    kernel = call.kernel(
        context, builder, [x.base_type for x in outputs], [x.base_type for x in inputs]
    )
    tree = Node(kernel, leaves, ndim, None, "", shape)

    def body(indices: Any, read: Read, whole: Shape) -> None:
        values = call.values(builder, read.value(tree))
        for value, output in zip(values, outputs, strict=True):
            with_place = with_shape(output, whole) if ndim else output
            with_place.store_data(indices, value)

    Loops(builder, tree, shape, order_of(x.layout for x in leaves), body, not given).emit()
    return call.returned(context, builder, outputs)


def _demand_fit(context: Any, builder: Any, leaves: Sequence[Leaf], shape: Shape) -> None:
    fit = _TRUE
    for leaf in leaves:
        fit = builder.and_(fit, fits(builder, leaf.shape, shape))
    raise_unless_given_fits(context, builder, fit)


def raise_unless_given_fits(context: Any, builder: Any, fit: Any) -> None:
    """Numpy's error for an output that has not the shape of what is computed."""
    if fit is _TRUE:
        return
    with cgutils.if_unlikely(builder, builder.not_(fit)):
        context.call_conv.return_user_exc(builder, ValueError, (_GIVEN,))
