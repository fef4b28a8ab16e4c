"""What numba prepares for the loops of a ufunc or of an array expression, and what it does for one element."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

from llvmlite import ir
from numba.core import cgutils, cpu, errors, targetconfig, types
from numba.core.imputils import impl_ret_new_ref
from numba.cpython import builtins
from numba.np import arrayobj
from numba.np.ufunc import array_exprs

from enzyme.frontend.numba_compat.probes import expect_attributes, expect_parameters, private, probe

_M = "numba.np.npyimpl"
ArrayOperand: Any = private(_M, "_ArrayHelper")
_prepare_argument: Any = private(_M, "_prepare_argument")
_select_array_wrapper: Any = private(_M, "select_array_wrapper")
_unpack_output_types: Any = private(_M, "_unpack_output_types")
_unpack_output_values: Any = private(_M, "_unpack_output_values")
_pack_output_values: Any = private(_M, "_pack_output_values")
_ufunc_loop_sig: Any = private(_M, "_ufunc_loop_sig")
_empty: Any = private("numba.np.arrayobj", "_empty_nd_impl")
_lower_array_expr: Any = private("numba.np.ufunc.array_exprs", "_lower_array_expr")
accumulator_type: Any = private("numba.np.arraymath", "get_accumulator_type")
_raise_with_shapes: Any = private("numba.np.arrayobj", "raise_with_shape_context")
# The value of Python's `min` or `max` of numbers, by their types and `operator.lt` or `gt`.
nearest: Any = private("numba.cpython.builtins", "do_minmax")


@dataclass(frozen=True)
class Call:
    """A ufunc or an array expression that is to be computed: for which types, and with which kernel."""

    sig: Any
    args: Sequence[Any]
    ufunc: Any
    kernel_class: Any

    @property
    def output_types(self) -> list[Any]:
        return _unpack_output_types(self.ufunc, self.sig)

    def prepared(self, context: Any, builder: Any) -> list[Any]:
        """The operands, with the outputs that are given behind the inputs."""
        return [
            prepared(context, builder, arg, ty)
            for arg, ty in zip(self.args, self.sig.args, strict=True)
        ]

    def kernel(
        self, context: Any, builder: Any, outputs: Sequence[Any], inputs: Sequence[Any]
    ) -> Any:
        """What computes one element, for outputs and inputs of these types."""
        return self.kernel_class(context, builder, _ufunc_loop_sig(list(outputs), list(inputs)))

    def values(self, builder: Any, value: Any) -> list[Any]:
        """What the kernel made for each output."""
        return _unpack_output_values(self.ufunc, builder, value)

    def returned(self, context: Any, builder: Any, outputs: Sequence[Any]) -> Any:
        values = [one.return_val for one in outputs]
        packed = _pack_output_values(self.ufunc, context, builder, self.sig.return_type, values)
        return impl_ret_new_ref(context, builder, self.sig.return_type, packed)

    def keep(self, context: Any, builder: Any, number: int) -> None:
        """The output `number`, which was given, is the result as well."""
        ty = self.output_types[number]
        context.nrt.incref(builder, ty, self.args[self.ufunc.nin + number])


# Operands -----------------------------------------------------------------------------------------


def prepared(context: Any, builder: Any, value: Any, ty: Any) -> Any:
    """An operand: an array, or a number."""
    return _prepare_argument(context, builder, value, ty)


def is_array(one: Any) -> bool:
    """Is this operand an array, and not a number?"""
    return isinstance(one, ArrayOperand)


def nothing(context: Any, builder: Any, ty: Any) -> Any:
    """The place for a result that is a number."""
    return prepared(context, builder, ir.Constant(context.get_value_type(ty), None), ty)


def fresh_array(context: Any, builder: Any, ty: Any, shape: Sequence[Any]) -> Any:
    """A new array, as an operand."""
    made = _empty(context, builder, ty, tuple(shape))
    return _operand(context, builder, ty, made, made._getvalue())


def clear(context: Any, builder: Any, array: Any) -> None:
    """Set all bytes of a new array, an operand, to zero."""
    size: Any = ir.IntType(64)(context.get_abi_sizeof(context.get_data_type(array.base_type)))
    for length in array.shape:
        size = builder.mul(size, length)
    cgutils.memset(builder, array.data, size, 0)


def wrapped_array(
    context: Any, builder: Any, ty: Any, shape: Sequence[Any], call: Call, inputs: Sequence[Any]
) -> Any:
    """A new array for a result, of the class that numba chooses by the inputs."""
    plain = ty.as_array
    made = _empty(context, builder, plain, tuple(shape))
    value = made._getvalue()
    input_types = [x.type if isinstance(x, types.Optional) else x for x in call.sig.args]
    index = _select_array_wrapper(input_types)
    wrapper = input_types[index]
    try:
        wrap = context.get_function("__array_wrap__", ty(wrapper, plain))
    except NotImplementedError:
        if wrapper.array_priority != types.Array.array_priority:
            raise
    else:
        value = wrap(builder, (inputs[index].return_val, value))
    return _operand(context, builder, ty, made, value)


def _operand(context: Any, builder: Any, ty: Any, array: Any, value: Any) -> Any:
    lengths, strides = (
        cgutils.unpack_tuple(builder, x, ty.ndim) for x in (array.shape, array.strides)
    )
    return ArrayOperand(
        context, builder, lengths, strides, array.data, ty.layout, ty.dtype, ty.ndim, value
    )


def view(
    context: Any, builder: Any, ty: Any, array: Any, index_type: Any, index: Any, to: Any
) -> Any:
    """What basic indexing of an array leads to, as an operand that is nobody's; `to` is the type of the view."""
    if isinstance(index_type, types.BaseTuple):
        kinds, indices = index_type.types, cgutils.unpack_tuple(builder, index, len(index_type))
    else:
        kinds, indices = (index_type,), (index,)
    whole = arrayobj.make_array(ty)(context, builder, array)
    kinds, indices = arrayobj.normalize_indices(context, builder, kinds, indices)
    check = context.enable_boundscheck
    data, shape, strides = arrayobj.basic_indexing(
        context, builder, ty, whole, kinds, indices, boundscheck=check
    )
    return ArrayOperand(context, builder, shape, strides, data, to.layout, to.dtype, to.ndim, None)


# Errors -------------------------------------------------------------------------------------------


def raise_misfit(context: Any, builder: Any, number: int) -> None:
    """Numba's error for the operand `number`, which cannot be stretched to the others."""
    message = f"unable to broadcast argument {number} to output array"
    loc = errors.loc_info.get("loc", None)
    if loc is not None:
        message += f'\nFile "{loc.filename}", line {loc.line}, '
    context.call_conv.return_user_exc(builder, ValueError, (message,))


def raise_unassignable(
    context: Any, builder: Any, source: Sequence[Any], target: Sequence[Any]
) -> None:
    """Numba's error for an array that does not fit into a slice."""
    function = context.typing_context.resolve_value_type(_raise_with_shapes)
    kinds = tuple(types.UniTuple(types.int64, len(shape)) for shape in (source, target))
    sig = function.get_call_type(context.typing_context, kinds, {})
    shapes = [
        context.make_tuple(builder, kind, shape)
        for kind, shape in zip(sig.args, (source, target), strict=True)
    ]
    context.get_function(function, sig)(builder, shapes)


# Kernels without loops ------------------------------------------------------------------------------

_caught: list[tuple[Any, list[Call]]] = []


@contextmanager
def _catching(builder: Any) -> Iterator[list[Call]]:
    calls: list[Call] = []
    _caught.append((builder, calls))
    try:
        yield calls
    finally:
        _caught.pop()


def is_caught(builder: Any, call: Call) -> bool:
    """Does somebody want the kernel of this call, and not its loops?"""
    if not _caught or _caught[-1][0] is not builder:
        return False
    _caught[-1][1].append(call)
    return True


class _Reader:
    """Stands for numba's lowering of a function, with variables read in another way."""

    def __init__(self, lowerer: Any, read: Callable[[str], Any]) -> None:
        self.context, self.builder, self.typeof = lowerer.context, lowerer.builder, lowerer.typeof
        self.loadvar = read


def names_of(expression: Any) -> list[str]:
    """The operands of an array expression of numba's, in the order in which its kernel takes them."""
    return [var.name for var in sorted(set(expression.list_vars()), key=lambda var: var.name)]


@contextmanager
def _without_lines(context: Any) -> Iterator[None]:
    """Numba gives all of a kernel the first line of the file; what has none gets that of the call."""
    stack, before = targetconfig.ConfigStack(), context.enable_debuginfo
    flags = stack.top_or_none()
    if flags is None or not flags.debuginfo:
        yield
        return
    flags = flags.copy()
    flags.debuginfo = context.enable_debuginfo = False
    try:
        with stack.enter(flags):
            yield
    finally:
        context.enable_debuginfo = before


def lower(lowerer: Any, expression: Any, is_plain: bool) -> Any:
    """The array of an array expression; a plain one calls no function that has lines of its own."""
    with _without_lines(lowerer.context) if is_plain else nullcontext():
        return _lower_array_expr(lowerer, expression)


def kernel_of(lowerer: Any, expression: Any, read: Callable[[str], Any]) -> Call:
    """The kernel of an array expression."""
    with _without_lines(lowerer.context), _catching(lowerer.builder) as calls:
        _lower_array_expr(_Reader(lowerer, read), expression)
    (call,) = calls
    return call


def kernel_in_place(
    context: Any, builder: Any, function: Any, kinds: Sequence[Any], left: Any, right: Any
) -> Call:
    """The kernel of an operation in place, as `operator.iadd`."""
    known = context.typing_context.resolve_value_type(function)
    sig = known.get_call_type(context.typing_context, tuple(kinds), {})
    with _catching(builder) as calls:
        context.get_function(known, sig)(builder, (left, right))
    (call,) = calls
    return call


def go_to_line(lowerer: Any, loc: Any) -> None:
    """What is emitted next is of this line."""
    tell = getattr(lowerer.debuginfo, "at_file", None)
    if tell is not None:
        tell(loc.filename)
    lowerer.debuginfo.mark_location(lowerer.builder, loc.line)


@probe
def array_expressions() -> None:
    """Array expressions are lowered by a function that takes what we give it."""
    expect_attributes(cpu.CPUContext, "enable_debuginfo")
    expect_parameters(array_exprs, "_lower_array_expr", "lowerer expr")
    expect_parameters(
        arrayobj,
        "basic_indexing",
        "context builder aryty ary index_types indices boundscheck",
    )
    expect_parameters(builtins, "do_minmax", "context builder argtys args cmpop")
