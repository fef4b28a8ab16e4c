"""Annotation classes with parameters, ``Duplicated[typeof(x)]`` or ``Active[float64]``, in jitted code."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

import operator
from typing import Any

from numba.core import types, typing
from numba.core.imputils import lower_builtin
from numba.core.typing.templates import AbstractTemplate, infer_global
from numba.extending import typeof_impl

from enzyme.errors import ActivityError
from enzyme.typed.annotations import AnnotationClass
from enzyme.typed.fixed import Fixed, dummy
from enzyme.typed.where import placed
from enzymecore import TypeDescriptor, as_type


class DescriptorType(Fixed):
    """Type of a type descriptor, which `typeof` gives."""

    def __init__(self, described: TypeDescriptor) -> None:
        super().__init__(described, f"typeof({described!r})")


@infer_global(operator.getitem)
class _Parameters(AbstractTemplate):
    """``Duplicated[typeof(x)]`` and ``Active[float64]``, see `patches.allow_types_as_indices`."""

    prefer_literal = True

    def generic(self, args: Any, kws: Any) -> Any:
        cls, given = args
        if not isinstance(cls, AnnotationClass):
            return None
        with placed():
            return typing.signature(AnnotationClass(cls.python_value[_parameter(given)]), *args)


def _parameter(ty: types.Type) -> Any:
    if isinstance(ty, types.BaseTuple):
        return tuple(map(_parameter, ty.types))
    if isinstance(ty, types.IntegerLiteral):
        return ty.literal_value
    if isinstance(ty, DescriptorType | AnnotationClass):
        return ty.python_value
    if isinstance(ty, types.NumberClass):
        return as_type(ty.dtype)
    if isinstance(ty, types.Function):
        return ty.typing_key
    if isinstance(ty, types.TypeRef):
        return as_type(ty.instance_type)
    raise ActivityError(
        what=f"a type is needed here, not a value of type {ty}",
        todo="write typeof(x)",
    )


lower_builtin(operator.getitem, AnnotationClass, types.Any)(dummy)


@typeof_impl.register(TypeDescriptor)
def _typeof_descriptor(val: Any, c: Any) -> types.Type:
    return DescriptorType(val)
