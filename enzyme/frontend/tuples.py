"""numba's types of tuples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numba.core import types
from numba.core.typing.templates import (
    AbstractTemplate,
    AttributeTemplate,
    infer_getattr,
    signature,
)
from numba.extending import models, register_model

__all__ = ["ClassOfTuples", "tuple_type"]


def tuple_type(members: Sequence[Any], cls: Any = None) -> Any:
    """The type of tuples of these members; `cls` is the class of a named tuple. One with ``__enzyme_type__`` has a type
    of its own."""
    make = getattr(cls, "__enzyme_type__", None)
    if make is not None:
        return make([types.unliteral(member) for member in members], cls)
    return types.BaseTuple.from_types(members, cls)


class ClassOfTuples(types.NamedTupleClass):  # type: ignore[misc]
    """Type of a class of tuples that have a type of their own: what calls of it make is of their type."""

    def get_impl_key(self, sig: Any) -> Any:
        return types.NamedTupleClass


register_model(ClassOfTuples)(models.OpaqueModel)


@infer_getattr
class _Class(AttributeTemplate):  # type: ignore[misc]
    key = ClassOfTuples

    def resolve___call__(self, ty: Any) -> Any:
        class Made(AbstractTemplate):  # type: ignore[misc]
            key = types.NamedTupleClass

            def generic(self, args: Any, kws: Any) -> Any:
                return signature(tuple_type(args, ty.instance_class), *args)

        return types.Function(Made)
