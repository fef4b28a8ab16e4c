"""Annotation classes with parameters, ``Duplicated[typeof(x)]`` or ``Active[float64]``, in jitted code."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

import operator
from typing import Any

from numba.core import types, typing
from numba.core.imputils import lower_builtin
from numba.core.rewrites import Rewrite, register_rewrite
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


class _TypeIndex:
    """A type of numba that stands in brackets."""

    def __init__(self, ty: types.Type) -> None:
        self.type = ty

    def __repr__(self) -> str:
        return str(self.type)


@register_rewrite("before-inference")
class _TypesAsIndices(Rewrite):
    """``Active[float64]``: numba finds that the index is constant and asserts that it is no type.

    What it gives to templates for constant indices is wrapped; they find nothing for it, and numba asks those for
    variables, see `_Parameters`.
    """

    def match(self, func_ir: Any, block: Any, typemap: Any, calltypes: Any) -> bool:
        self.block = block
        self.found = [
            expression
            for expression in block.find_exprs(op="static_getitem")
            if isinstance(expression.index, types.Type)
        ]
        return bool(self.found)

    def apply(self) -> Any:
        for expression in self.found:
            expression.index = _TypeIndex(expression.index)
        return self.block


@infer_global(operator.getitem)
class _Parameters(AbstractTemplate):
    """``Duplicated[typeof(x)]`` and the like."""

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
