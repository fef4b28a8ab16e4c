"""Arguments of `gradient` in compiled code are values, as in Python (`api.separate`).

Arrays whose elements may be in one place are copied, and so is what the function writes to: that is known when the
call is lowered, for then its derivative is there.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from typing import Any

from numba.core import types, typing
from numba.core.imputils import lower_builtin
from numba.core.typing.templates import infer_global

from enzyme.compiled.calls import derivative_of
from enzyme.contract.kinds import by_value, in_memory
from enzyme.frontend import overlap
from enzyme.frontend.abi import is_differentiable, is_fixed
from enzyme.frontend.registration import EnzymeContext
from enzyme.typed.annotations import AnnotationClass, AnnotationType, as_writable
from enzyme.typed.fixed import FixedCallable
from enzyme.typed.where import line_in_messages
from enzymecore import Active, Const, Duplicated


def values_of(mode: Any, f: Any, *args: Any) -> Any:
    """The arguments of a gradient of `f`, with copies where they are needed; compiled code only."""
    raise NotImplementedError


class ValuesFunction(FixedCallable):
    """Type of `values_of` itself."""

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
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
        return types.BaseTuple.from_types(list(map(_own, ty.types)), named)
    if isinstance(ty, types.Array) and ty.layout == "A":
        return ty.copy(layout="C", readonly=False)
    return ty


def _annotated(ty: types.Type) -> AnnotationType:
    if isinstance(ty, AnnotationType):
        return ty
    if _is_constant(ty):
        return AnnotationType(Const, ty, None)
    if by_value(ty):
        return AnnotationType(Active, ty, None)
    return AnnotationType(Duplicated, ty, as_writable(ty))


@lower_builtin(ValuesFunction, types.VarArg(types.Any))
def _lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    kinds = list(map(_annotated, map(_own, sig.args[2:])))
    question = [*sig.args[:2], AnnotationClass(Active), *kinds]
    writes = derivative_of(isinstance(context, EnzymeContext), question).program.writes
    given = list(zip(sig.args[2:], args[2:], strict=True))
    plain = [
        (ty.value, builder.extract_value(value, 0))
        if isinstance(ty, AnnotationType)
        else (ty, value)
        for ty, value in given
    ]
    overlap.emit_refusal_of_shared(context, builder, plain, writes, line_in_messages())
    made = []
    for k, (ty, value) in enumerate(given):
        copies = not _is_constant(ty) and in_memory(ty) and writes(k)
        made.append(_value(context, builder, ty, value, copies))
    return context.make_tuple(builder, sig.return_type, made)


def _value(context: Any, builder: Any, ty: types.Type, value: Any, copies: bool) -> Any:
    """A new reference to an argument, or a copy of it."""
    if isinstance(ty, types.BaseTuple) and not _is_constant(ty):
        members = [
            _value(context, builder, part, builder.extract_value(value, k), copies)
            for k, part in enumerate(ty.types)
        ]
        return context.make_tuple(builder, _own(ty), members)
    if isinstance(ty, types.Array) and not _is_constant(ty) and (copies or ty.layout == "A"):
        kind = ty.copy(layout="C" if ty.layout == "A" else ty.layout, readonly=False)
        sig = typing.signature(kind, ty)
        return context.compile_internal(builder, lambda x: x.copy(), sig, [value])
    context.nrt.incref(builder, ty, value)
    return value


__all__ = ["values_of"]
