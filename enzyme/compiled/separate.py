"""Arguments of `gradient` in compiled code are values, as in Python (`api.separate`).

Arrays whose elements may be in one place are copied, and so is what the function writes to: that is known when the
call is lowered, for then its derivative is there.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numba.core import cgutils, types, typing
from numba.core.imputils import lower_builtin
from numba.core.typing.templates import infer_global

from enzyme.compiled import apart
from enzyme.compiled.calls import ONCE, derivative_of
from enzyme.contract.derivatives import annotation_of, floats_for_array, no_gradient
from enzyme.contract.kinds import state_of
from enzyme.errors import ActivityError
from enzyme.frontend.leaves import is_differentiable, is_fixed
from enzyme.frontend.registration import EnzymeContext, EnzymeTypingContext
from enzyme.frontend.tuples import tuple_type
from enzyme.frontend.visible import is_apart
from enzyme.typed.annotations import AnnotationClass, AnnotationType, as_writable
from enzyme.typed.fixed import FixedCallable
from enzyme.typed.where import line_in_messages
from enzymecore import Active, AnyState, Duplicated


def values_of(mode: Any, f: Any, *args: Any) -> Any:
    """The arguments of a gradient of `f`, with copies where they are needed; compiled code only."""
    raise NotImplementedError


class ValuesFunction(FixedCallable):
    """Type of `values_of` itself."""

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
        try:
            derivative_of(isinstance(context, EnzymeTypingContext), _question(args), ONCE)
        except ActivityError as error:
            if error.restype is None:
                raise
            raise no_gradient(error.restype, _floats_for(args[2:])) from None
        return typing.signature(types.Tuple(list(map(_own, args[2:]))), *args)


infer_global(values_of, ValuesFunction(values_of, "values_of"))


def _is_constant(ty: types.Type) -> bool:
    return isinstance(ty, AnnotationType) or is_fixed(ty) or not is_differentiable(ty)


def _own(ty: types.Type) -> types.Type:
    """The type of an argument with a place of its own for every element."""
    if _is_constant(ty):
        return ty
    if isinstance(ty, types.BaseTuple):
        named = ty.instance_class if isinstance(ty, types.BaseNamedTuple) else None
        return tuple_type(list(map(_own, ty.types)), named)
    if isinstance(ty, types.Array) and ty.layout == "A":
        return ty.copy(layout="C", readonly=False)
    return ty


def _annotated(ty: types.Type) -> AnnotationType:
    if isinstance(ty, AnnotationType):
        return ty
    cls = annotation_of(AnyState if _is_constant(ty) else state_of(ty))
    return AnnotationType(cls, ty, as_writable(ty) if cls is Duplicated else None)


def _question(args: Sequence[types.Type]) -> list[types.Type]:
    """What the gradient asks `autodiff`."""
    return [*args[:2], AnnotationClass(Active), *map(_annotated, map(_own, args[2:]))]


def _floats_for(args: Sequence[types.Type]) -> list[str]:
    """What to pass in place of integers."""
    found = []
    for ty in args:
        if isinstance(ty, types.Integer):
            found.append(f"float(x) in place of an {ty}")
        elif isinstance(ty, types.Array) and isinstance(ty.dtype, types.Integer):
            found.append(floats_for_array(ty.dtype))
    return found


@lower_builtin(ValuesFunction, types.VarArg(types.Any))
def _lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    asked = _question(sig.args)
    writes = derivative_of(isinstance(context, EnzymeContext), asked, ONCE).program.writes
    given = list(zip(sig.args[2:], args[2:], strict=True))
    plain = [
        (ty.value, builder.extract_value(value, 0))
        if isinstance(ty, AnnotationType)
        else (ty, value)
        for ty, value in given
    ]
    apart.emit_refusal_of_shared(context, builder, plain, writes, line_in_messages())
    made = [_value(context, builder, ty, value, writes(k)) for k, (ty, value) in enumerate(given)]
    return context.make_tuple(builder, sig.return_type, made)


def _value(context: Any, builder: Any, ty: types.Type, value: Any, written: bool) -> Any:
    """A new reference to an argument, or a copy of it."""
    if isinstance(ty, AnnotationType):
        held = cgutils.create_struct_proxy(ty)(context, builder, value=value)
        held.val = _copied(context, builder, ty.value, held.val, written)
        return held._getvalue()
    if _is_constant(ty):
        return _copied(context, builder, ty, value, written)
    if isinstance(ty, types.BaseTuple):
        members = [
            _value(context, builder, part, builder.extract_value(value, k), written)
            for k, part in enumerate(ty.types)
        ]
        return context.make_tuple(builder, _own(ty), members)
    if isinstance(ty, types.Array) and (written or ty.layout == "A"):
        return _copy_of(context, builder, _own(ty), ty, value)
    if written and is_apart(ty):
        return _copy_of(context, builder, ty, ty, value)
    context.nrt.incref(builder, ty, value)
    return value


def _copied(context: Any, builder: Any, ty: types.Type, value: Any, written: bool) -> Any:
    """The same of a constant, the type of which stays."""
    if written and isinstance(ty, types.BaseTuple):
        members = [
            _copied(context, builder, part, builder.extract_value(value, k), written)
            for k, part in enumerate(ty.types)
        ]
        return context.make_tuple(builder, ty, members)
    if written and isinstance(ty, types.Array) and ty.mutable:
        kind = ty.copy(layout="C" if ty.layout == "A" else ty.layout)
        return _copy_of(context, builder, kind, ty, value)
    if written and is_apart(ty):
        return _copy_of(context, builder, ty, ty, value)
    context.nrt.incref(builder, ty, value)
    return value


def _copy_of(context: Any, builder: Any, kind: types.Type, ty: types.Type, value: Any) -> Any:
    keeps = isinstance(kind, types.Array) and kind.layout == "F" and kind.ndim > 1
    copy = (lambda x: x.T.copy().T) if keeps else (lambda x: x.copy())
    return context.compile_internal(builder, copy, typing.signature(kind, ty), [value])


__all__ = ["values_of"]
