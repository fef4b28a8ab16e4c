"""What numba prepares for the loops of a ufunc or of an array expression, and what it does for one element."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir
from numba.core import cgutils, errors, types
from numba.core.imputils import impl_ret_new_ref
from numba.np import arrayobj, npyimpl

from enzyme.frontend.numba_compat.probes import private

_M = "numba.np.npyimpl"
_ArrayHelper: Any = private(_M, "_ArrayHelper")
_prepare_argument: Any = private(_M, "_prepare_argument")
_select_array_wrapper: Any = private(_M, "select_array_wrapper")
_unpack_output_types: Any = private(_M, "_unpack_output_types")
_unpack_output_values: Any = private(_M, "_unpack_output_values")
_pack_output_values: Any = private(_M, "_pack_output_values")
_ufunc_loop_sig: Any = private(_M, "_ufunc_loop_sig")
_empty: Any = private("numba.np.arrayobj", "_empty_nd_impl")


def is_array(one: Any) -> bool:
    """Is this operand an array, and not a number?"""
    return isinstance(one, _ArrayHelper)


def raise_misfit(context: Any, builder: Any, number: int) -> None:
    """Numba's error for the operand `number`, which cannot be stretched to the others."""
    message = f"unable to broadcast argument {number} to output array"
    loc = errors.loc_info.get("loc", None)
    if loc is not None:
        message += f'\nFile "{loc.filename}", line {loc.line}, '
    context.call_conv.return_user_exc(builder, ValueError, (message,))


class Nest:
    """Operands and results of a loop nest, and what is computed in it."""

    def __init__(
        self,
        context: Any,
        builder: Any,
        sig: Any,
        args: Sequence[Any],
        ufunc: Any,
        kernel_class: Any,
        broadcast: Callable[..., list[Any]],
    ) -> None:
        self.context, self.builder, self.sig, self.ufunc = context, builder, sig, ufunc
        operands = [
            _prepare_argument(context, builder, arg, ty)
            for arg, ty in zip(args, sig.args, strict=True)
        ]
        self.inputs = operands[: ufunc.nin]
        self.given_output = False
        for number, ty in enumerate(_unpack_output_types(ufunc, sig)):
            if ufunc.nin + number < len(operands):
                self.given_output = True
                context.nrt.incref(builder, ty, args[ufunc.nin + number])
            elif isinstance(ty, types.ArrayCompatible):
                shape = broadcast(context, builder, ty.ndim, self.inputs)
                operands.append(self._made(ty, shape))
            else:
                nothing = ir.Constant(context.get_value_type(ty), None)
                operands.append(_prepare_argument(context, builder, nothing, ty))
        self.outputs = operands[ufunc.nin :]
        kinds = [[one.base_type for one in group] for group in (self.outputs, self.inputs)]
        self.kernel = kernel_class(context, builder, _ufunc_loop_sig(*kinds))
        layouts = [one.layout for one in self.inputs if is_array(one)]
        self.order = "F" if layouts.count("F") > layouts.count("C") else "C"

    def _made(self, ty: Any, shape: Sequence[Any]) -> Any:
        context, builder = self.context, self.builder
        plain = ty.as_array
        made = _empty(context, builder, plain, tuple(shape))
        value = made._getvalue()
        input_types = [x.type if isinstance(x, types.Optional) else x for x in self.sig.args]
        index = _select_array_wrapper(input_types)
        wrapper = input_types[index]
        try:
            wrap = context.get_function("__array_wrap__", ty(wrapper, plain))
        except NotImplementedError:
            if wrapper.array_priority != types.Array.array_priority:
                raise
        else:
            value = wrap(builder, (self.inputs[index].return_val, value))
        lengths, strides = (
            cgutils.unpack_tuple(builder, x, ty.ndim) for x in (made.shape, made.strides)
        )
        return _ArrayHelper(
            context, builder, lengths, strides, made.data, ty.layout, ty.dtype, ty.ndim, value
        )

    def compute(
        self, indices: Sequence[Any], places: Sequence[Sequence[Any]], inputs: Any = None
    ) -> None:
        """One element: read each input at its place, write the outputs at `indices`."""
        found = [
            one.load_data(place) for one, place in zip(inputs or self.inputs, places, strict=True)
        ]
        values = _unpack_output_values(self.ufunc, self.builder, self.kernel.generate(*found))
        for value, output in zip(values, self.outputs, strict=True):
            output.store_data(indices, value)

    def result(self) -> Any:
        values = [one.return_val for one in self.outputs]
        ty = self.sig.return_type
        packed = _pack_output_values(self.ufunc, self.context, self.builder, ty, values)
        return impl_ret_new_ref(self.context, self.builder, ty, packed)
