"""The flat arguments of a derivative's call, out of annotations."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from typing import Any

from numba.core import cgutils, types

from enzyme.contract.kinds import BATCH
from enzyme.frontend.plans import CallPlan
from enzyme.typed.annotations import AnnotationType


def operand(
    context: Any,
    builder: Any,
    plan: CallPlan,
    annotation: AnnotationType,
    value: Any,
    role: str,
    index: int,
) -> Any:
    """Primal or shadow of an annotation, in the type that the derivative takes."""
    held = cgutils.create_struct_proxy(annotation)(context, builder, value=value)
    wanted = plan.argtypes[index]
    if role == "primal":
        return _as_type(context, builder, held.val, annotation.value, wanted)
    found, value = annotation.shadow, held.dval
    assert found is not None
    if annotation.cls not in BATCH:
        return _as_type(context, builder, value, found, wanted)
    members = [
        _as_type(context, builder, builder.extract_value(value, k), member, wanted)
        for k, member in enumerate(found.types)
    ]
    if plan.width == 1:
        return members[0]
    return context.make_tuple(builder, types.UniTuple(wanted, plan.width), members)


def one(context: Any, builder: Any, plan: CallPlan) -> Any:
    """The seed of combined reverse mode, in every lane."""
    seed = context.get_constant(plan.restype, 1.0)
    if plan.width == 1:
        return seed
    return context.make_tuple(
        builder, types.UniTuple(plan.restype, plan.width), [seed] * plan.width
    )


def _as_type(context: Any, builder: Any, value: Any, found: types.Type, wanted: types.Type) -> Any:
    """A value in the type of a declared signature; of arrays of the same numbers only the type's name differs."""
    if found == wanted:
        return value
    if isinstance(found, types.Array) and isinstance(wanted, types.Array):
        if (found.dtype, found.ndim) == (wanted.dtype, wanted.ndim):
            return value
    elif isinstance(found, types.BaseTuple) and isinstance(wanted, types.BaseTuple):
        members = [
            _as_type(context, builder, builder.extract_value(value, k), mine, theirs)
            for k, (mine, theirs) in enumerate(zip(found.types, wanted.types, strict=True))
        ]
        return context.make_tuple(builder, wanted, members)
    return context.cast(builder, value, found, wanted)
